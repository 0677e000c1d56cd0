package io.hadir.socketio.http;

/** Answers requests. Called on an event loop, so it must not block. */
public interface HttpHandler {
    /** The largest body that a request for this handler may carry. */
    int maxBodyBytes();

    /** Answers one request, now or later, with one of the exchange's {@code respond} methods or an upgrade. */
    void handle(Exchange exchange);
}
