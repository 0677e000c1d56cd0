package io.hadir.presence.room;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user who is in a room, as others see it.
 *
 * @param hold why it is listed, null unless somebody asked
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

    /** Its place in the room's list. */
    public Position position() {
        return new Position(joinedAt, user);
    }
}
