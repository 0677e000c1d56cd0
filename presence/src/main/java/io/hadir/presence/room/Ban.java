package io.hadir.presence.room;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user may not join a room until a time.
 *
 * @param message the text for the user, null for the standard text
 */
public record Ban(Seat seat, Instant until, @Nullable String message) {
    /** Its place in the list of a room's bans, which is ordered by their ends, then by user. */
    public Position position() {
        return new Position(until, seat.user());
    }
}
