package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;

/** Carries a session's packets. Used by the session's tasks only. */
interface Transport {
    /**
     * Takes ownership of one reference to a frame and sends it with the next {@link #flush}. Must not modify the frame.
     */
    void send(ByteBuf frame);

    void flush();

    /** Whether more data waits for the client than the send buffer may hold. */
    boolean isOverflowing();

    /** Marks the slot of the connection that carries the session as known or as a stranger's. */
    void setKnown(boolean known);

    /** Sends what is waiting, tells the client, and ends. */
    void close(CloseReason reason);

    /** Discards what is waiting and ends. */
    void abort();
}
