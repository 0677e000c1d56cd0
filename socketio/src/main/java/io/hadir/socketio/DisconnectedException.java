package io.hadir.socketio;

/** The client disconnected before it acknowledged an event. */
final class DisconnectedException extends Exception {
    private static final long serialVersionUID = 1;

    DisconnectedException() {
        super("the client is disconnected");
    }
}
