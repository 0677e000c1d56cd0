package io.hadir.presence;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Tells why a user is in a room, or why not. May be called from any thread. */
public final class Explainer {
    private final SeatRecords records;
    private final Nodes nodes;
    private final Loop loop;

    public Explainer(SeatRecords records, Nodes nodes, Loop loop) {
        this.records = records;
        this.nodes = nodes;
        this.loop = loop;
    }

    public CompletionStage<Answer<Explanation>> explain(Seat seat) {
        Reply<Explanation> reply = new Reply<>(loop);
        reply.giveAfter(records.read(seat)
                .thenCompose(
                        record -> aliveNodes(record).thenApply(alive -> Answer.ok(new Explanation(record, alive)))));
        return reply.stage();
    }

    private CompletionStage<Optional<Set<String>>> aliveNodes(SeatRecord record) {
        SeatRecord.LivePresence presence = record.presence();
        return presence == null || presence.sockets().isEmpty()
                ? CompletableFuture.completedFuture(Optional.of(Set.of()))
                : nodes.alive(presence.sockets().stream().map(SocketId::node).collect(Collectors.toSet()));
    }
}
