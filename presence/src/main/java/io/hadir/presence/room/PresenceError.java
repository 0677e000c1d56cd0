package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a request was refused.
 *
 * @param message for people; never repeats input of the client
 * @param field the invalid field, null if none is
 * @param retryAfter when to try again, null if that is pointless
 * @param until when the ban ends, null if the user is not banned
 */
public record PresenceError(
        ErrorCode code,
        String message,
        @Nullable String field,
        @Nullable Duration retryAfter,
        @Nullable Instant until) {
    /** When a client should try again after an outage. */
    public static final Duration RETRY_AFTER = Duration.ofSeconds(2);

    private static final String BANNED = "You are banned from the chatroom";

    public static PresenceError invalid(String field, String expected) {
        return new PresenceError(
                ErrorCode.INVALID_ARGUMENT, field + " is not valid (expected: " + expected + ")", field, null, null);
    }

    public static PresenceError of(ErrorCode code, String message) {
        return new PresenceError(code, message, null, null, null);
    }

    /** The user's token does not permit the room. */
    public static PresenceError forbiddenRoom() {
        return of(ErrorCode.FORBIDDEN, "this room is not permitted to you");
    }

    public static PresenceError unavailable() {
        return new PresenceError(
                ErrorCode.PRESENCE_UNAVAILABLE, "presence is not available right now", null, RETRY_AFTER, null);
    }

    public static PresenceError banned(Ban ban) {
        return new PresenceError(
                ErrorCode.BANNED, ban.message() != null ? ban.message() : BANNED, null, null, ban.until());
    }

    /** What the backend says to a banned user; null if it says nothing, or this is another error. */
    public @Nullable String banMessage() {
        return code == ErrorCode.BANNED && !message.equals(BANNED) ? message : null;
    }

    public static PresenceError notInRoom() {
        return of(ErrorCode.NOT_IN_ROOM, "You are not in the chatroom");
    }
}
