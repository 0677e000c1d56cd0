package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/**
 * The profile that a client joins with.
 *
 * @param username null to keep the user's current name in the room
 * @param fallback the name of a user who has none in the room yet
 * @param data what the app shows about the user, a JSON object or {@code null} for nothing; null to keep what it is
 */
public record Profile(
        @Nullable Username username,
        Username fallback,
        @Nullable String data) {
    /** A profile without data. */
    public Profile(@Nullable Username username, Username fallback) {
        this(username, fallback, null);
    }

    /** A profile with this name. */
    public static Profile named(Username username) {
        return new Profile(username, username);
    }
}
