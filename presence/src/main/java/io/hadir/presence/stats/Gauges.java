package io.hadir.presence.stats;

import io.hadir.presence.RoomDirectory;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.Nodes.NodeStatus;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Current numbers on all nodes; null where they are not known. */
public record Gauges(
        @Nullable Long usersOnline,
        @Nullable Long roomsOccupied,
        @Nullable Long sockets) {
    public static final Gauges UNKNOWN = new Gauges(null, null, null);

    /** Reads each number; one that cannot be read is unknown. Never fails. */
    public static CompletionStage<Gauges> take(RoomDirectory directory, Nodes nodes) {
        CompletableFuture<@Nullable Long> rooms = known(directory.count());
        CompletableFuture<List<NodeStatus>> leases =
                nodes.withLease().toCompletableFuture().exceptionally(failed -> List.of());
        return rooms.thenCombine(leases, (occupied, all) -> {
            // If this node's own lease is missing, others may be missing too, as after a flush.
            boolean complete = all.stream().anyMatch(node -> node.id().equals(nodes.self()));
            return new Gauges(
                    complete ? (Long) usersOnline(all) : null,
                    occupied,
                    complete ? (Long) sum(all, NodeStatus::sockets) : null);
        });
    }

    /** The number of users online as these nodes reported it. */
    static long usersOnline(List<NodeStatus> leases) {
        // A node of version 0.1.0 does not report its users.
        return sum(leases, node -> node.users() == null ? node.sockets() : node.users());
    }

    private static long sum(List<NodeStatus> leases, Function<NodeStatus, @Nullable Long> reported) {
        long sum = 0;
        for (NodeStatus node : leases) {
            Long own = reported.apply(node);
            sum += own == null ? 0 : own;
        }
        return sum;
    }

    private static CompletableFuture<@Nullable Long> known(CompletionStage<@Nullable Long> number) {
        return number.toCompletableFuture().exceptionally(failed -> null);
    }
}
