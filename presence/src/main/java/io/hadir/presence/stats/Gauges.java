package io.hadir.presence.stats;

import io.hadir.presence.RoomDirectory;
import io.hadir.presence.room.NodeStatus;
import io.hadir.presence.sweep.Nodes;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** How many there are in a moment, on all servers; null is what is not known. */
public record Gauges(
        @Nullable Long usersOnline,
        @Nullable Long roomsOccupied,
        @Nullable Long sockets) {
    public static final Gauges UNKNOWN = new Gauges(null, null, null);

    /** Asks for each; what cannot be had is not known, and fails nothing. */
    public static CompletionStage<Gauges> take(CompletionStage<Long> online, RoomDirectory directory, Nodes nodes) {
        CompletableFuture<@Nullable Long> users = known(online);
        CompletableFuture<@Nullable Long> rooms = known(directory.count());
        CompletableFuture<@Nullable Long> sockets =
                known(nodes.withLease().thenApply(leases -> sockets(leases, nodes.self())));
        return CompletableFuture.allOf(users, rooms, sockets)
                .thenApply(done -> new Gauges(users.join(), rooms.join(), sockets.join()));
    }

    /** While the asker itself has no lease, others may have none either, as after a flush. */
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
