package io.hadir.presence;

import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** A node that answers for its own sockets. Fails if it does not answer. */
public interface Peer {
    /** Which of its sockets do not hold these seats, although Redis says so. Steps under way do not count. */
    CompletionStage<Set<Held>> unknown(List<Sighting> sightings);

    /** Its sockets in rooms where their users have no presence; at most as many as one answer can hold. */
    CompletionStage<Set<Held>> lost();

    /** A socket on a seat. */
    record Held(Seat seat, SocketId socket) {}
}
