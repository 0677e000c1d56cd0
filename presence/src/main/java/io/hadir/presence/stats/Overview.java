package io.hadir.presence.stats;

import io.hadir.presence.Answers;
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
    private final Answers answers;

    public Overview(Nodes nodes, RemovalLog log, HistoryLog history, Loop loop) {
        this.nodes = nodes;
        this.log = log;
        this.history = history;
        this.answers = new Answers(loop);
    }

    /** The servers that hold a lease, ordered by id. */
    public CompletionStage<Answer<List<NodeStatus>>> nodes() {
        return answers.inTime(() -> nodes.withLease().thenApply(Answer::ok));
    }

    public CompletionStage<Answer<Removals>> removals(Removals.Query query) {
        return answers.inTime(() -> log.read(query.room(), query.firstDay(), query.lastDay())
                .thenApply(byHour -> Answer.ok(Removals.of(query, byHour))));
    }

    /**
     * How it was over a time.
     *
     * @param from null for the last hours before the end
     * @param to null for now
     */
    public CompletionStage<Answer<History>> history(@Nullable Instant from, @Nullable Instant to) {
        return answers.inTime(() -> {
            CompletionStage<Instant> end = to == null ? history.now() : CompletableFuture.completedFuture(to);
            return end.thenApply(known -> History.Query.of(from, known))
                    .thenCompose(query -> query.take(this::read, points -> points));
        });
    }

    private CompletionStage<Answer<History>> read(History.Query query) {
        return history.read(query.firstMinute(), query.endMinute() - 1)
                .thenApply(byMinute -> Answer.ok(History.of(query, byMinute)));
    }
}
