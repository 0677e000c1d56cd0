package io.hadir.socketio;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a client that wants to connect.
 *
 * @param refusal what the client reads in its {@code connect_error}, null if it may connect
 * @param data goes with the refusal, null for none
 * @param attachment what the socket has attached from the start, null for nothing
 */
public record Admission(
        @Nullable String refusal,
        @Nullable Object data,
        @Nullable Object attachment) {
    public static final Admission ACCEPTED = new Admission(null, null, null);

    /** The client may connect. What its handshake proved is in the attachment, so the proof itself is not kept. */
    public static Admission accepted(Object attachment) {
        return new Admission(null, null, attachment);
    }

    public static Admission refused(String message) {
        return refused(message, null);
    }

    public static Admission refused(String message, @Nullable Object data) {
        return new Admission(message, data, null);
    }
}
