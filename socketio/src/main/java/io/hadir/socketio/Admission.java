package io.hadir.socketio;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a client that wants to connect.
 *
 * @param refusal the message of the client's {@code connect_error}, null if it may connect
 * @param data extra data of the {@code connect_error}, null for none
 * @param attachment becomes {@link Socket#attachment}, null for none
 */
public record Admission(
        @Nullable String refusal,
        @Nullable Object data,
        @Nullable Object attachment) {
    static final Admission ACCEPTED = new Admission(null, null, null);

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
