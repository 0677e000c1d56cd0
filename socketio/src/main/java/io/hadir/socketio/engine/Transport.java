package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;

/** How a session's packets travel. Used by the session's tasks only. */
interface Transport {
    /** Takes over a share in a frame, to be sent with the next {@link #flush}. Others may send it, too: it is not changed. */
    void send(ByteBuf frame);

    /** Sends what it has taken over. */
    void flush();

    /** Whether more waits for the client than one may keep for it. */
    boolean isOverflowing();

    /** Says whether the session is known, so that the connection which carries it keeps its place. */
    void know(boolean known);

    /** Sends what is waiting, says goodbye and ends. */
    void close(CloseReason reason);

    /** Throws away what is waiting and ends. */
    void abort();
}
