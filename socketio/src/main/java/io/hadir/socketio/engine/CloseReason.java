package io.hadir.socketio.engine;

/** Why a session ended. */
public enum CloseReason {
    /** The client closed the session, or its connection ended. */
    TRANSPORT_CLOSE,
    /** The connection broke, or the client broke a rule of the transport. */
    TRANSPORT_ERROR,
    /** The client did not read what was sent to it. */
    SEND_BUFFER_FULL,
    /** The client did not answer a ping in time. */
    PING_TIMEOUT,
    /** The client sent something that is not Engine.IO, or that the handler could not read. */
    PARSE_ERROR,
    /** The server closed the session. */
    SERVER_CLOSE,
    /** The server is shutting down. */
    SHUTTING_DOWN
}
