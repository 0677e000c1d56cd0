package io.hadir;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.config.ConfigLoader;
import io.hadir.config.Flags;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The whole server in this process, on a free port. */
public final class TestHadir implements AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private final Hadir hadir;

    private TestHadir(Hadir hadir) {
        this.hadir = hadir;
    }

    public static TestHadir start(String redisUrl, String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of("--port=0", "--redis-url=" + redisUrl));
        all.addAll(List.of(flags));
        return new TestHadir(
                Hadir.start(ConfigLoader.load(Flags.parse(all), Map.of()).config(), "1.2.3"));
    }

    public int port() {
        return hadir.address().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    public HttpResponse<String> get(String path, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url() + path)).timeout(Duration.ofSeconds(10));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** What {@code /metrics} says. */
    public String scrape() throws IOException, InterruptedException {
        HttpResponse<String> answer = get("/metrics");
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    @Override
    public void close() {
        hadir.close();
    }
}
