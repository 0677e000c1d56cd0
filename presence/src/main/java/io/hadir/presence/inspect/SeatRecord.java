package io.hadir.presence.inspect;

import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that Redis has about one seat, read in one atomic step.
 *
 * @param key the presence key
 * @param seenAt the time of reading, by Redis' clock
 * @param presence null if the user is not present
 * @param joinedAt from the details or the index, else the time of reading
 * @param listed whether the room's index has the user; only a hint
 * @param detailed whether the seat has details; only a hint
 * @param history the latest transitions of the seat, oldest first
 */
public record SeatRecord(
        Seat seat,
        String key,
        Instant seenAt,
        @Nullable LivePresence presence,
        Instant joinedAt,
        boolean listed,
        boolean detailed,
        List<Transition> history) {
    /**
     * A presence that is alive.
     *
     * @param named the socket that the presence names
     * @param sockets the sockets that hold the seat; none during the grace period
     * @param held whether the user is held as away: their last socket was paused and fell silent
     * @param expiresAt null if it never expires; Hadir writes no such presence
     */
    public record LivePresence(
            Participant participant,
            SocketId named,
            Set<SocketId> sockets,
            boolean held,
            @Nullable Instant expiresAt) {}
}
