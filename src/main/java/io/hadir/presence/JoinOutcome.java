package io.hadir.presence;

import java.time.Duration;
import java.util.Optional;

/** What came of a join. */
public sealed interface JoinOutcome {
    /**
     * The socket is on the seat.
     *
     * @param revision of the room, the join included
     * @param arrival empty if the user was there before
     * @param renamed whether it was there by another name
     */
    record Joined(long revision, Duration ttl, Optional<RoomChange.Joined> arrival, boolean renamed)
            implements JoinOutcome {}

    /** As many are listed as may be; some of them may not be alive. */
    record Full() implements JoinOutcome {}

    /** The socket has taken a later step already. */
    record Superseded() implements JoinOutcome {}
}
