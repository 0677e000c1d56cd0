package io.hadir.presence.sweep;

import io.hadir.presence.room.NodeStatus;
import io.hadir.presence.room.Sighting;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** The servers that share one Redis, and how they know of each other. */
public interface Nodes {
    /** The id of this node. */
    String self();

    /** Prolongs this node's lease; true if the former one was still there. */
    CompletionStage<Boolean> renewLease();

    /** What to do whenever this node can reach the leases again; set once. May be called from any thread. */
    void onReturn(Runnable action);

    /** Gives the lease up, so that nobody looks for this node. */
    CompletionStage<Void> endLease();

    /** What the nodes that hold a lease say about themselves, ordered by id. */
    CompletionStage<List<NodeStatus>> withLease();

    /** Nodes that were there and have no lease. */
    CompletionStage<Set<String>> withoutLease();

    /**
     * Notes of these nodes that they are gone, unless they hold a lease again.
     *
     * @return all nodes that have gone of late, on whoever's word, and have not come back, with the time by Redis' clock
     *     at which it was noted
     */
    CompletionStage<Map<String, Instant>> noteGone(Set<String> nodes);

    /** Which of these nodes hold a lease; empty if this node's own was missing in the same moment. */
    CompletionStage<Optional<Set<String>>> alive(Set<String> nodes);

    /** Forgets a node of which nothing is left. */
    CompletionStage<Void> forget(Set<String> nodes);

    /**
     * Takes or prolongs the right to scan.
     *
     * @param due whether it may be taken only if the last scan was long enough ago
     */
    CompletionStage<Boolean> lockScan(boolean due);

    /** Gives the right to scan back, noting whether the scan was finished. */
    CompletionStage<Void> unlockScan(boolean finished);

    /** Asks a node whether it really has these sockets. Not answered: the node acts upon it. */
    void ask(String node, List<Sighting> sightings);

    /** Who is asked; set once. May be called from any thread. */
    void listen(Consumer<List<Sighting>> asked);
}
