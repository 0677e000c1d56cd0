package io.hadir.presence.room;

import java.time.Instant;
import java.util.Comparator;

/** A place in a room's list, which is ordered by join time, then by user. */
public record Position(Instant joinedAt, UserId user) implements Comparable<Position> {
    private static final Comparator<Position> ORDER =
            Comparator.comparing(Position::joinedAt).thenComparing(Position::user);

    @Override
    public int compareTo(Position other) {
        return ORDER.compare(this, other);
    }
}
