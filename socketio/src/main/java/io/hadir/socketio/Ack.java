package io.hadir.socketio;

import org.jspecify.annotations.Nullable;

/** The acknowledgement of one event. */
public interface Ack {
    /** Whether the client waits for an acknowledgement. */
    boolean isWanted();

    /** Sends the acknowledgement. Does nothing if the client does not wait for one or it has been sent. */
    void send(@Nullable Object... arguments);
}
