package io.hadir.presence.stats;

import io.hadir.presence.Answers;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.Nodes.NodeStatus;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Answers operators: which nodes there are, how many users were removed and why, and the points of charts. May be
 * called from any thread.
 */
public final class Overview {
    private final Nodes nodes;
    private final RemovalCounts removals;
    private final HistoryLog history;
    private final Answers answers;

    public Overview(Nodes nodes, RemovalCounts removals, HistoryLog history, Loop loop) {
        this.nodes = nodes;
        this.removals = removals;
        this.history = history;
        this.answers = new Answers(loop);
    }

    /** The nodes that hold a lease, ordered by id. */
    public CompletionStage<Answer<List<NodeStatus>>> nodes() {
        return answers.inTime(() -> nodes.withLease().thenApply(Answer::ok));
    }

    /** The number of users online on all nodes. It may lag behind by the time between two renewals of a lease. */
    public CompletionStage<Answer<Long>> usersOnline() {
        return answers.inTime(() -> nodes.withLease().thenApply(leases -> Answer.ok(Gauges.usersOnline(leases))));
    }

    public CompletionStage<Answer<Removals>> removals(Removals.Query query) {
        return answers.inTime(() -> removals.read(query.room(), query.firstDay(), query.lastDay())
                .thenApply(byHour -> Answer.ok(Removals.of(query, byHour))));
    }

    /**
     * The points of a chart.
     *
     * @param from null for as long before the end as is usual for the step
     * @param to null for now
     */
    public CompletionStage<Answer<HistoryChart>> chart(
            HistoryChart.Step step, @Nullable Instant from, @Nullable Instant to) {
        return answers.inTime(() -> {
            CompletionStage<Instant> end = to == null ? history.now() : CompletableFuture.completedFuture(to);
            return end.thenApply(known -> HistoryChart.Query.of(step, from, known))
                    .thenCompose(this::read);
        });
    }

    private CompletionStage<Answer<HistoryChart>> read(Answer<HistoryChart.Query> asked) {
        if (asked instanceof Answer.Refused<HistoryChart.Query> refused) {
            return CompletableFuture.completedFuture(Answer.refused(refused.error()));
        }
        HistoryChart.Query query = ((Answer.Ok<HistoryChart.Query>) asked).value();
        return history.read(query.step(), query.first(), query.end() - 1)
                .thenApply(byStep -> Answer.ok(HistoryChart.of(query, byStep)));
    }
}
