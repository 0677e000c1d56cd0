package io.hadir.socketio.engine;

/** Why a session ended. */
public enum CloseReason {
    /** The client closed it, or its connection ended. */
    TRANSPORT_CLOSE,
    /** Its connection broke, or it broke a rule of the transport. */
    TRANSPORT_ERROR,
    /** The client did not read what was sent to it. */
    SEND_BUFFER_FULL,
    /** The client did not answer a ping in time. */
    PING_TIMEOUT,
    /** The client sent something that is not Engine.IO, or that its handler could not read. */
    PARSE_ERROR,
    /** The server wanted it so. */
    SERVER_CLOSE,
    /** The server is shutting down. */
    SHUTTING_DOWN
}
