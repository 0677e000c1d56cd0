package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a node reports about some of a user's sockets. The store records it, and derives from all sockets of the user
 * whether they are online and which room they focus. Focusing a room sets its unread counter to zero.
 *
 * @param seats rooms that the user is in without one of their sockets; hints, which are not renewed
 * @param most the first socket is refused if the user has this many others; 0 for no limit
 * @param gone dead nodes, each with the time of death by the store's clock; what they recorded before it is discarded
 */
public record UserUpdate(
        UserId user, List<SocketState> sockets, Collection<RoomId> seats, int most, Map<String, Instant> gone) {
    /**
     * The state of one socket of this node.
     *
     * @param turn rises with every step of the socket; the store ignores a state that is older than its own
     * @param here false if the socket is gone
     * @param held whether the user of a gone socket may be held as away in its rooms
     * @param room the room it focuses, null if none
     * @param since when it began to focus the room, as the store answered before; 0 if it has not answered
     * @param rooms the rooms that it is in, as hints
     * @param issued when its token was issued, the epoch if the token does not say; null if it has no token
     * @param age how long its client has been connected to its app; null if it is connected directly
     */
    public record SocketState(
            SocketId socket,
            long turn,
            boolean here,
            boolean held,
            @Nullable RoomId room,
            long since,
            Collection<RoomId> rooms,
            @Nullable Instant issued,
            @Nullable Duration age) {}

    /**
     * The state of a user after an update.
     *
     * @param leads whether this node leads the user: of all nodes with a socket of theirs, it counts them as online
     * @param since when each of the sockets began to focus its room, in the order of the update
     * @param toDisconnect the sockets that were not recorded because they have to be disconnected, each with the text
     *     for its client, empty for the standard text
     * @param revoked tokens issued up to this time are refused; the epoch if none are, or if all sockets were
     *     recorded before
     */
    public record Outcome(boolean leads, List<Long> since, Map<SocketId, String> toDisconnect, Instant revoked) {}
}
