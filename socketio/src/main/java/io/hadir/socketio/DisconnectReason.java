package io.hadir.socketio;

/** Why a socket disconnected, in the words of Socket.IO. */
public enum DisconnectReason {
    /** The client disconnected from the namespace. */
    CLIENT_DISCONNECT("client namespace disconnect"),
    /** The server disconnected the socket or closed its session. */
    SERVER_DISCONNECT("server namespace disconnect"),
    /** The server is shutting down. */
    SHUTTING_DOWN("server shutting down"),
    /** The client did not answer a ping in time. */
    PING_TIMEOUT("ping timeout"),
    /** The client or the network closed the connection. */
    TRANSPORT_CLOSE("transport close"),
    /** The connection broke, or the client did not read what was sent to it. */
    TRANSPORT_ERROR("transport error"),
    /** The client sent something that is not Socket.IO. */
    PARSE_ERROR("parse error");

    private final String text;

    DisconnectReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
