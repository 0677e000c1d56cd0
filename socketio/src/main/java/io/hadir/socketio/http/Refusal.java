package io.hadir.socketio.http;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A fixed error answer, given without reading a body.
 *
 * @param message must not contain text from the client
 * @param headers extra headers of the answer
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
