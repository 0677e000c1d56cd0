package io.hadir.presence.sweep;

import io.hadir.presence.room.Sighting;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** The nodes that share one Redis: their leases, the right to scan, and questions from node to node. */
public interface Nodes {
    /** The id of this node. */
    String self();

    /** Renews this node's lease; false if the old one had run out. */
    CompletionStage<Boolean> renewLease();

    /** Sets an action for when Redis is reachable again; called once. It runs on any thread. */
    void onReturn(Runnable action);

    /** Ends the lease of a node of which nothing is left, this one or a dead one, and forgets the node. */
    CompletionStage<Void> endLease(String node);

    /** The status of each node that has a lease, ordered by id. */
    CompletionStage<List<NodeStatus>> withLease();

    /** The known nodes that have no lease. */
    CompletionStage<Set<String>> withoutLease();

    /**
     * Records that these nodes are gone, except those that have a lease again.
     *
     * @return all nodes that any node has recorded as gone and that have not returned, each with the time of the record
     *     by Redis' clock
     */
    CompletionStage<Map<String, Instant>> recordGone(Set<String> nodes);

    /** The nodes among these that have a lease; empty if this node's own lease was missing at the same moment. */
    CompletionStage<Optional<Set<String>>> alive(Set<String> nodes);

    /** Forgets nodes of which nothing is left, with the records of their rooms. */
    CompletionStage<Void> forget(Set<String> nodes);

    /** The last sign of life of each known node. */
    CompletionStage<List<LastSign>> lastSigns();

    /**
     * Takes or renews the right to clean up after a node for a while.
     *
     * @param certain the last sign of life of a node whose process is gone; null if only its missing lease says that it
     *     is dead
     */
    CompletionStage<CleanupLock> lockCleanup(String node, @Nullable LastSign certain);

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

    /** Asks all other nodes which seats they take care of. They answer in parts, or not at all. */
    CompletionStage<Void> askForClaims(long seed);

    /**
     * Sets what answers such a question with the hashes of all seats of this node, and what hears the answers of
     * others; called once. Both are called on any thread.
     */
    void listenForClaims(LongFunction<CompletionStage<long[]>> own, BiConsumer<String, long[]> heard);

    /**
     * When a node renewed its lease last.
     *
     * @param report what the node said about itself then, in JSON
     * @param at by Redis' clock
     * @param readAt when this was read, by the same clock
     */
    record LastSign(String node, String report, Instant at, Instant readAt) {}

    /** The answer to {@link Nodes#lockCleanup}. */
    enum CleanupLock {
        LOCKED,
        /** Another node cleans up, or has done so. */
        TAKEN,
        /** The node has given a sign of life. */
        ALIVE,
        /** This node's own lease is missing, so a missing lease says nothing. */
        UNSURE
    }

    /**
     * What a node reports with its lease; null where it reports nothing.
     *
     * @param users how many users it leads: each user online is led by one node
     * @param lease the remaining time of the lease, null if it does not expire
     */
    record NodeStatus(
            String id,
            @Nullable Instant startedAt,
            @Nullable String version,
            @Nullable Long sockets,
            @Nullable Long users,
            @Nullable Duration lease) {}
}
