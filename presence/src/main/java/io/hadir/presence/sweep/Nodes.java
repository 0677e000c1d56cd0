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

/** The nodes that share one Redis: their leases, the right to scan, and questions from node to node. */
public interface Nodes {
    /** The id of this node. */
    String self();

    /** Renews this node's lease; false if the old one had run out. */
    CompletionStage<Boolean> renewLease();

    /** Sets an action for when Redis is reachable again; called once. It runs on any thread. */
    void onReturn(Runnable action);

    /** Gives up the lease, so no node cleans up after this one. */
    CompletionStage<Void> endLease();

    /** The status of each node that has a lease, ordered by id. */
    CompletionStage<List<NodeStatus>> withLease();

    /** The known nodes that have no lease. */
    CompletionStage<Set<String>> withoutLease();

    /**
     * Records that these nodes are gone, except those that have a lease again.
     *
     * @return all nodes that any node has recorded as gone and that have not returned, each with the time of the record by
     *     Redis' clock
     */
    CompletionStage<Map<String, Instant>> recordGone(Set<String> nodes);

    /** The nodes among these that have a lease; empty if this node's own lease was missing at the same moment. */
    CompletionStage<Optional<Set<String>>> alive(Set<String> nodes);

    /** Forgets nodes of which nothing is left. */
    CompletionStage<Void> forget(Set<String> nodes);

    /**
     * Takes or renews the right to scan; false if another node has it.
     *
     * @param due whether to take it only if the last scan was long enough ago
     */
    CompletionStage<Boolean> lockScan(boolean due);

    /** Gives up the right to scan. The next scan is due after a pause if this one finished, else at once. */
    CompletionStage<Void> unlockScan(boolean finished);

    /** Asks a node to compare these presences with its sockets. It does not answer, but acts on the differences. */
    void ask(String node, List<Sighting> sightings);

    /** Sets what handles questions to this node; called once. It is called on any thread. */
    void listen(Consumer<List<Sighting>> asked);
}
