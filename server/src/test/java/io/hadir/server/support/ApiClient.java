package io.hadir.server.support;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Calls the HTTP API as a backend does, and checks every answer against {@code openapi.json}. */
public final class ApiClient {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String url;
    private final String[] headers;

    /** Creates a client that sends these headers with every call: name, value, name, value. */
    public ApiClient(String url, String... headers) {
        this.url = url;
        this.headers = headers;
    }

    /** One answer. */
    public record Answer(int status, HttpResponse<String> response, JsonNode json) {
        public String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }

        public String code() {
            return json.path("error").path("code").asString("");
        }

        public String field() {
            return json.path("error").path("field").asString("");
        }
    }

    public Answer get(String target) {
        return send("GET", target, null);
    }

    public Answer delete(String target) {
        return send("DELETE", target, null);
    }

    public Answer post(String target, String body) {
        return send("POST", target, body);
    }

    public Answer put(String target, String body) {
        return send("PUT", target, body);
    }

    public Answer send(String method, String target, String body, String... more) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + target))
                .timeout(Duration.ofSeconds(30))
                .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (body != null && more.length == 0) {
            request.header("Content-Type", "application/json");
        }
        if (headers.length > 0) {
            request.headers(headers);
        }
        if (more.length > 0) {
            request.headers(more);
        }
        try {
            HttpResponse<String> response = HTTP.send(request.build(), BodyHandlers.ofString());
            String path = URI.create(url + target).getRawPath();
            String type = response.headers().firstValue("Content-Type").orElse("");
            OpenApi.check(method, path, response.statusCode(), type, response.body());
            return new Answer(
                    response.statusCode(), response, JsonMapper.shared().readTree(response.body()));
        } catch (IOException e) {
            throw new AssertionError(method + " " + target, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
