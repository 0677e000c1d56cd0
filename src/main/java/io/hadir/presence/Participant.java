package io.hadir.presence;

import java.time.Instant;

/** A user who is in a room, as others see it. */
public record Participant(UserId user, String username, Instant joinedAt, Instant lastActiveAt) {
    /** Its place in the room's list. */
    public Position position() {
        return new Position(joinedAt, user);
    }
}
