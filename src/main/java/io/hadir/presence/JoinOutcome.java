package io.hadir.presence;

import java.time.Duration;

/** What came of a join. */
public sealed interface JoinOutcome {
    /**
     * The socket is on the seat.
     *
     * @param revision of the room, the join included
     */
    record Joined(long revision, Duration ttl) implements JoinOutcome {}

    /** As many are listed as may be; some of them may not be alive. */
    record Full() implements JoinOutcome {}

    /** The socket has taken a later step already. */
    record Superseded() implements JoinOutcome {}
}
