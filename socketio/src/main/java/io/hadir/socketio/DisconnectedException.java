package io.hadir.socketio;

/** The client was gone before it answered. */
public final class DisconnectedException extends Exception {
    private static final long serialVersionUID = 1;

    DisconnectedException() {
        super("the client is gone");
    }
}
