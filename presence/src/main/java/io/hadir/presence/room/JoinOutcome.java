package io.hadir.presence.room;

import java.time.Duration;
import java.util.Optional;

/** The result of a join. */
public sealed interface JoinOutcome {
    /**
     * The socket holds the seat.
     *
     * @param revision the room's revision, including the join
     * @param username the user's name in the room from now on
     * @param change the change that Redis published, empty if nothing changed for others
     */
    record Joined(long revision, Duration ttl, String username, Optional<RoomChange> change) implements JoinOutcome {}

    /** The room's index is full, but some of its users may have no live presence. */
    record Full() implements JoinOutcome {}

    /** The user is banned. */
    record Banned(Ban ban) implements JoinOutcome {}

    /** A later step of the socket reached Redis first. */
    record Superseded() implements JoinOutcome {}
}
