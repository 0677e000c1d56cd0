package io.hadir.server;

import io.hadir.server.config.ConfigLoader;
import io.hadir.server.config.Flags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A whole server in this process, wired like the real one, on a free port and a given Redis. */
public final class ApiServer implements AutoCloseable {
    public static final String KEY = "test-key-0123456789";

    private final Hadir hadir;

    private ApiServer(Hadir hadir) {
        this.hadir = hadir;
    }

    /** Starts a server with the API key {@link #KEY}. */
    public static ApiServer start(String redisUrl, String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of(flags));
        all.add("--api-key=" + KEY);
        return startKeyless(redisUrl, all.toArray(String[]::new));
    }

    public static ApiServer startKeyless(String redisUrl, String... flags) throws IOException {
        List<String> all = new ArrayList<>(List.of(flags));
        if (all.stream().noneMatch(flag -> flag.startsWith("--port="))) {
            all.add("--port=0");
        }
        all.add("--redis-url=" + redisUrl);
        return new ApiServer(
                Hadir.start(ConfigLoader.load(Flags.parse(all), Map.of()).config(), "1.2.3-test", foreign -> {}));
    }

    public int port() {
        return hadir.address().getPort();
    }

    public String url() {
        return "http://127.0.0.1:" + port();
    }

    /** Every route as method and path. */
    public List<String> routes() {
        return hadir.routes();
    }

    @Override
    public void close() {
        hadir.close();
    }
}
