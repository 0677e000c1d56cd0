package io.hadir.socketio.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The answer to a request that nobody handles. No body is read for it.
 *
 * @param message our own words, never the client's
 * @param headers what goes with it
 */
public record Refusal(HttpResponseStatus status, String code, String message, Map<String, String> headers)
        implements HttpHandler {
    public Refusal(HttpResponseStatus status, String code, String message) {
        this(status, code, message, Map.of());
    }

    public Refusal with(String header, String value) {
        Map<String, String> more = new LinkedHashMap<>(headers);
        more.put(header, value);
        return new Refusal(status, code, message, Map.copyOf(more));
    }

    @Override
    public int maxBodyBytes() {
        return 0;
    }

    @Override
    public void handle(Exchange exchange) {
        headers.forEach(exchange::header);
        exchange.respondError(status, code, message);
    }
}
