package io.hadir.socketio.http;

/** Answers the requests of one part of the server. Called on an event loop, so it may not block. */
public interface HttpHandler {
    /** The largest body that a request for this handler may carry. */
    int maxBodyBytes();

    /** Answers one request, now or later, by one of the exchange's {@code respond} methods or by an upgrade. */
    void handle(Exchange exchange);
}
