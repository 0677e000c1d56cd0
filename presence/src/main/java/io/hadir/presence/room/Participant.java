package io.hadir.presence.room;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry in a room's list: a user as others see them.
 *
 * @param hold why the user is listed, null unless asked for
 */
public record Participant(
        UserId user,
        String username,
        Instant joinedAt,
        Instant lastActiveAt,
        @Nullable Hold hold) {
    public Participant(UserId user, String username, Instant joinedAt, Instant lastActiveAt) {
        this(user, username, joinedAt, lastActiveAt, null);
    }

    /** The place in the room's list. */
    public Position position() {
        return new Position(joinedAt, user);
    }
}
