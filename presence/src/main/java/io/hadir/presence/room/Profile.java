package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/**
 * What a joining client says about its user. What it leaves out stays as it is in the room.
 *
 * @param username null to keep the current one
 * @param fallback the name of a user who has none in the room yet
 */
public record Profile(@Nullable Username username, Username fallback) {
    /** A client that says this name. */
    public static Profile named(Username username) {
        return new Profile(username, username);
    }
}
