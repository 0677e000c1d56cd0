package io.hadir.presence.room;

import java.time.Duration;
import java.util.Optional;

/** What came of a join. */
public sealed interface JoinOutcome {
    /**
     * The socket is on the seat.
     *
     * @param revision of the room, the join included
     * @param username the user's name in the room from now on
     * @param change what the room was told, empty if nothing changed for the others
     */
    record Joined(long revision, Duration ttl, String username, Optional<RoomChange> change) implements JoinOutcome {}

    /** As many are listed as may be; some of them may not be alive. */
    record Full() implements JoinOutcome {}

    /** The user may not join. */
    record Banned(Ban ban) implements JoinOutcome {}

    /** The socket has taken a later step already. */
    record Superseded() implements JoinOutcome {}
}
