package io.hadir.presence.inspect;

import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All that is written about one seat, seen in one moment.
 *
 * @param key the key that says who is present
 * @param seenAt by Redis' clock
 * @param presence null if the user is not there
 * @param joinedAt as details or index have it, else when it was seen
 * @param listed whether the room's index has the user, which proves nothing
 * @param detailed whether there are details, which prove nothing either
 * @param history what became of the seat of late, oldest first
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
     * @param named the socket that it names
     * @param sockets all that hold the seat, none in the grace
     * @param expiresAt null if it does not, which nothing that Hadir wrote can be
     */
    public record LivePresence(
            Participant participant,
            SocketId named,
            Set<SocketId> sockets,
            @Nullable Instant expiresAt) {}
}
