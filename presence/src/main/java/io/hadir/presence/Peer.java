package io.hadir.presence;

import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A node that answers questions about its own sockets. Stages fail if it does not answer. */
public interface Peer {
    /**
     * Its sockets that are on these seats according to Redis, but not according to the node itself. Leaves out sockets
     * with a step under way, which may explain the difference.
     */
    CompletionStage<Set<Held>> unknown(List<Sighting> sightings);

    /** Its sockets in rooms where their users have no presence, as many as fit into one answer. */
    CompletionStage<Set<Held>> lost();

    /** A socket on a seat; not held as away. */
    record Held(Seat seat, SocketId socket) {}
}
