package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why something was refused.
 *
 * @param message for people; never repeats what the client sent
 * @param field the field that is wrong, null if none is
 * @param retryAfter when it is worth trying again, null if it is not
 * @param until when a ban ends, null if there is none
 */
public record PresenceError(
        ErrorCode code,
        String message,
        @Nullable String field,
        @Nullable Duration retryAfter,
        @Nullable Instant until) {
    /** When a client that met an outage is to try again. */
    public static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    public static PresenceError invalid(String field, String expected) {
        return new PresenceError(
                ErrorCode.INVALID_ARGUMENT, field + " is not valid (expected: " + expected + ")", field, null, null);
    }

    public static PresenceError of(ErrorCode code, String message) {
        return new PresenceError(code, message, null, null, null);
    }

    /** The room is not among those that the user's token is for. */
    public static PresenceError forbiddenRoom() {
        return of(ErrorCode.FORBIDDEN, "this room is not permitted to you");
    }

    public static PresenceError unavailable() {
        return new PresenceError(
                ErrorCode.PRESENCE_UNAVAILABLE, "presence is not available right now", null, RETRY_AFTER, null);
    }

    public static PresenceError banned(Ban ban) {
        String message = ban.message() != null ? ban.message() : "You are banned from the chatroom";
        return new PresenceError(ErrorCode.BANNED, message, null, null, ban.until());
    }

    public static PresenceError notInRoom() {
        return of(ErrorCode.NOT_IN_ROOM, "You are not in the chatroom");
    }
}
