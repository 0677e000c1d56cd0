package io.hadir.socketio;

import org.jspecify.annotations.Nullable;

/** The answer to one event. Only the first call counts. */
public interface Ack {
    /** Whether the client waits for an answer. */
    boolean isWanted();

    void send(@Nullable Object... arguments);
}
