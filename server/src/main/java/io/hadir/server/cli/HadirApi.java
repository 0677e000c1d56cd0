package io.hadir.server.cli;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The HTTP API of one server. */
final class HadirApi {
    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);
    private static final int LARGEST_PAGE = 1_000;
    private static final JsonMapper JSON = JsonMapper.shared();

    private final String url;
    private final @Nullable String key;
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT)
            .build();

    private HadirApi(String url, @Nullable String key) {
        this.url = url;
        this.key = key;
    }

    /**
     * The API at an address such as {@code http://127.0.0.1:8080}.
     *
     * @param key null if there is none
     */
    static HadirApi at(String url, @Nullable String key) throws CallFailedException {
        String base = url.replaceAll("/+$", "");
        try {
            URI uri = URI.create(base);
            if (uri.getHost() != null && String.valueOf(uri.getScheme()).matches("https?") && uri.getQuery() == null) {
                return new HadirApi(base, key);
            }
        } catch (IllegalArgumentException notAnAddress) {
            // Reported below.
        }
        throw new CallFailedException(
                ExitCode.USAGE, "--url: " + Text.visible(url) + " (expected: http://host:port or https://host:port)");
    }

    /** Encodes a segment of a path or a value of a query. */
    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    JsonNode get(String path) throws CallFailedException {
        return call("GET", path, null);
    }

    JsonNode delete(String path) throws CallFailedException {
        return call("DELETE", path, null);
    }

    JsonNode post(String path, String body) throws CallFailedException {
        return call("POST", path, body);
    }

    /**
     * Reads as many pages as needed, and returns the first with the entries of the others appended.
     *
     * @param list the name of the field that has the entries
     * @param limit how many entries at most, 0 for all
     */
    ObjectNode getAll(String path, String list, int limit) throws CallFailedException {
        ObjectNode all = null;
        String cursor = null;
        while (true) {
            int wanted = limit == 0
                    ? LARGEST_PAGE
                    : Math.min(
                            LARGEST_PAGE,
                            limit - (all == null ? 0 : all.get(list).size()));
            String page = path + "?limit=" + wanted + (cursor == null ? "" : "&cursor=" + encoded(cursor));
            if (!(get(page) instanceof ObjectNode answer) || !(answer.get(list) instanceof ArrayNode listed)) {
                throw notHadir();
            }
            if (all == null) {
                all = answer;
            } else {
                ((ArrayNode) all.get(list)).addAll(listed);
                all.set("nextCursor", answer.get("nextCursor"));
            }
            cursor = answer.path("nextCursor").asString(null);
            if (cursor == null || (limit != 0 && all.get(list).size() >= limit)) {
                return all;
            }
        }
    }

    private JsonNode call(String method, String path, @Nullable String body) throws CallFailedException {
        try {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + "/api/v1" + path))
                    .timeout(ANSWER)
                    .method(
                            method,
                            body == null
                                    ? HttpRequest.BodyPublishers.noBody()
                                    : HttpRequest.BodyPublishers.ofString(body));
            if (body != null) {
                request.header("Content-Type", "application/json");
            }
            if (key != null) {
                request.header("Authorization", "Bearer " + key);
            }
            return answer(http.send(request.build(), HttpResponse.BodyHandlers.ofString()));
        } catch (IOException | UnresolvedAddressException failed) {
            throw new CallFailedException(
                    ExitCode.UNREACHABLE, "no server answers at " + url + ": " + describe(failed));
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw new CallFailedException(ExitCode.UNREACHABLE, "stopped");
        } catch (IllegalArgumentException badHeader) {
            throw new CallFailedException(ExitCode.USAGE, "--api-key: *** (expected: visible ASCII characters)");
        }
    }

    private JsonNode answer(HttpResponse<String> response) throws CallFailedException {
        JsonNode body;
        try {
            body = JSON.readTree(response.body());
        } catch (JacksonException notJson) {
            throw notHadir();
        }
        if (response.statusCode() == 200) {
            return body;
        }
        JsonNode error = body.path("error");
        if (!error.path("code").isString()) {
            throw notHadir();
        }
        String message = Text.visible(error.path("message").asString(""));
        throw switch (response.statusCode()) {
            case 400, 405, 413, 414, 415, 431 -> new CallFailedException(ExitCode.USAGE, message);
            case 401, 403 ->
                new CallFailedException(
                        ExitCode.REFUSED,
                        message
                                + (key == null
                                        ? " Set HADIR_API_KEY or --api-key."
                                        : " The given key is not the server's."));
            // Only removals answer 404 for an unknown user. Any other 404 means that this is no Hadir.
            case 404 ->
                response.request().method().equals("DELETE")
                        ? new CallFailedException(ExitCode.NO, message)
                        : notHadir();
            default -> new CallFailedException(ExitCode.UNAVAILABLE, message);
        };
    }

    private CallFailedException notHadir() {
        return new CallFailedException(ExitCode.UNREACHABLE, "the server at " + url + " is not Hadir");
    }

    private static String describe(Exception failed) {
        for (Throwable cause = failed; cause != null; cause = cause.getCause()) {
            if (cause instanceof UnresolvedAddressException || cause instanceof UnknownHostException) {
                return "the host is unknown";
            }
            if (cause instanceof HttpTimeoutException || cause instanceof InterruptedIOException) {
                return "it took too long";
            }
        }
        return failed instanceof ConnectException
                ? "nothing listens there"
                : "the connection broke (" + Text.visible(String.valueOf(failed.getMessage())) + ")";
    }
}
