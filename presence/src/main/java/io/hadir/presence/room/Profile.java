package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/**
 * The profile that a client joins with.
 *
 * @param username null to keep the user's current name in the room
 * @param fallback the name of a user who has none in the room yet
 */
public record Profile(@Nullable Username username, Username fallback) {
    /** A profile with this name. */
    public static Profile named(Username username) {
        return new Profile(username, username);
    }
}
