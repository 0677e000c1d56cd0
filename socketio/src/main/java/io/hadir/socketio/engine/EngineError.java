package io.hadir.socketio.engine;

import io.hadir.socketio.http.Exchange;
import io.netty.handler.codec.http.HttpResponseStatus;

/** The numbered errors of Engine.IO's HTTP requests. */
enum EngineError {
    UNKNOWN_TRANSPORT(0, "Transport unknown"),
    UNKNOWN_SESSION(1, "Session ID unknown"),
    BAD_HANDSHAKE_METHOD(2, "Bad handshake method"),
    BAD_REQUEST(3, "Bad request"),
    FORBIDDEN(4, "Forbidden"),
    UNSUPPORTED_PROTOCOL(5, "Unsupported protocol version");

    private final String body;

    EngineError(int code, String message) {
        this.body = "{\"code\":" + code + ",\"message\":\"" + message + "\"}";
    }

    void answer(Exchange exchange) {
        exchange.respond(
                this == FORBIDDEN ? HttpResponseStatus.FORBIDDEN : HttpResponseStatus.BAD_REQUEST,
                "application/json",
                body);
    }
}
