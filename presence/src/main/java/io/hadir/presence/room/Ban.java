package io.hadir.presence.room;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Until when a user may not join a room.
 *
 * @param message what the user is told, null for the usual words
 */
public record Ban(Seat seat, Instant until, @Nullable String message) {
    /** Where it stands in the list of a room's bans, which is ordered by when they end, then by user. */
    public Position position() {
        return new Position(until, seat.user());
    }
}
