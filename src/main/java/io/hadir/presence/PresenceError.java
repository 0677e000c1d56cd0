package io.hadir.presence;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why something was refused.
 *
 * @param message for people; never repeats what the client sent
 * @param field the field that is wrong, null if none is
 * @param retryAfter when it is worth trying again, null if it is not
 */
public record PresenceError(
        ErrorCode code,
        String message,
        @Nullable String field,
        @Nullable Duration retryAfter) {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    public static PresenceError invalid(String field, String expected) {
        return new PresenceError(
                ErrorCode.INVALID_ARGUMENT, field + " is not valid (expected: " + expected + ")", field, null);
    }

    public static PresenceError of(ErrorCode code, String message) {
        return new PresenceError(code, message, null, null);
    }

    public static PresenceError unavailable() {
        return new PresenceError(
                ErrorCode.PRESENCE_UNAVAILABLE, "presence is not available right now", null, RETRY_AFTER);
    }

    static PresenceError notInRoom() {
        return of(ErrorCode.NOT_IN_ROOM, "You are not in the chatroom");
    }
}
