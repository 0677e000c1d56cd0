package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;

/**
 * Receives the messages of one session. Calls never overlap and come in order. {@link #closed} is the last and comes
 * exactly once. Buffers belong to the caller and are valid during the call only.
 */
public interface SessionHandler {
    /** Receives a message of well-formed UTF-8. */
    void text(ByteBuf message);

    void binary(ByteBuf message);

    void closed(CloseReason reason);
}
