package io.hadir.presence.stats;

import io.hadir.presence.Reply;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.NodeStatus;
import io.hadir.presence.sweep.Nodes;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * What operators ask: which servers there are, who was removed when and why, and how it was over a time. May be called
 * from any thread.
 */
public final class Overview {
    private final Nodes nodes;
    private final RemovalLog log;
    private final HistoryLog history;
    private final Loop loop;

    public Overview(Nodes nodes, RemovalLog log, HistoryLog history, Loop loop) {
        this.nodes = nodes;
        this.log = log;
        this.history = history;
        this.loop = loop;
    }

    /** The servers that hold a lease, ordered by id. */
    public CompletionStage<Answer<List<NodeStatus>>> nodes() {
        Reply<List<NodeStatus>> reply = new Reply<>(loop);
        reply.giveAfter(nodes.withLease().thenApply(Answer::ok));
        return reply.stage();
    }

    public CompletionStage<Answer<Removals>> removals(Removals.Query query) {
        Reply<Removals> reply = new Reply<>(loop);
        reply.giveAfter(log.read(query.room(), query.firstDay(), query.lastDay())
                .thenApply(byHour -> Answer.ok(Removals.of(query, byHour))));
        return reply.stage();
    }

    /**
     * How it was over a time.
     *
     * @param from null for the last hours before the end
     * @param to null for now
     */
    public CompletionStage<Answer<History>> history(@Nullable Instant from, @Nullable Instant to) {
        Reply<History> reply = new Reply<>(loop);
        CompletionStage<Instant> end = to == null ? history.now() : CompletableFuture.completedFuture(to);
        reply.giveAfter(end.thenApply(known -> History.Query.of(from, known))
                .thenCompose(query -> query.take(this::read, points -> points)));
        return reply.stage();
    }

    private CompletionStage<Answer<History>> read(History.Query query) {
        return history.read(query.firstMinute(), query.endMinute() - 1)
                .thenApply(byMinute -> Answer.ok(History.of(query, byMinute)));
    }
}
