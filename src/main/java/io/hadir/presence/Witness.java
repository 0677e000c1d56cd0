package io.hadir.presence;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** What one node knows of its own sockets. Fails if it does not answer. */
public interface Witness {
    /** Which of its sockets that are said to hold these seats do not. What is under way does not count. */
    CompletionStage<Set<Held>> unknown(List<PresenceScan.Sighting> sightings);

    /** Its sockets in rooms, as many as can be told, whose users have no presence there. */
    CompletionStage<Set<Held>> lost();

    /** A socket on a seat. */
    record Held(Seat seat, SocketId socket) {}
}
