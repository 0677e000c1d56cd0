package io.hadir.presence.stats;

import io.hadir.presence.RoomDirectory;
import io.hadir.presence.room.NodeStatus;
import io.hadir.presence.sweep.Nodes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Current numbers on all nodes; null where they are not known. */
public record Gauges(
        @Nullable Long usersOnline,
        @Nullable Long roomsOccupied,
        @Nullable Long sockets) {
    public static final Gauges UNKNOWN = new Gauges(null, null, null);

    /** Reads each number; one that cannot be read is unknown. Never fails. */
    public static CompletionStage<Gauges> take(CompletionStage<Long> online, RoomDirectory directory, Nodes nodes) {
        CompletableFuture<@Nullable Long> users = known(online);
        CompletableFuture<@Nullable Long> rooms = known(directory.count());
        CompletableFuture<@Nullable Long> sockets =
                known(nodes.withLease().thenApply(leases -> sockets(leases, nodes.self())));
        return CompletableFuture.allOf(users, rooms, sockets)
                .thenApply(done -> new Gauges(users.join(), rooms.join(), sockets.join()));
    }

    /** If this node's own lease is missing, others may be missing too, as after a flush; then the sum is unknown. */
    private static @Nullable Long sockets(List<NodeStatus> leases, String self) {
        if (leases.stream().noneMatch(node -> node.id().equals(self))) {
            return null;
        }
        long sum = 0;
        for (NodeStatus node : leases) {
            Long own = node.sockets();
            sum += own == null ? 0 : own;
        }
        return sum;
    }

    private static CompletableFuture<@Nullable Long> known(CompletionStage<@Nullable Long> number) {
        return number.toCompletableFuture().exceptionally(failed -> null);
    }
}
