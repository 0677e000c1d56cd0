package io.hadir.socketio;

import org.jspecify.annotations.Nullable;

/**
 * The answer to a client that wants to connect.
 *
 * @param refusal what the client reads in its {@code connect_error}, null if it may connect
 * @param data goes with the refusal, null for none
 */
public record Admission(@Nullable String refusal, @Nullable Object data) {
    public static final Admission ACCEPTED = new Admission(null, null);

    public static Admission refused(String message) {
        return new Admission(message, null);
    }
}
