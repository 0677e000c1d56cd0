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
 * Answers operators: which nodes there are, how many users were removed and why, and the points of charts. May be called
 * from any thread.
 */
public final class Overview {
    private final Nodes nodes;
    private final RemovalCounts removals;
    private final MinuteLog minutes;
    private final Answers answers;

    public Overview(Nodes nodes, RemovalCounts removals, MinuteLog minutes, Loop loop) {
        this.nodes = nodes;
        this.removals = removals;
        this.minutes = minutes;
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
     * @param from null for three hours before the end
     * @param to null for now
     */
    public CompletionStage<Answer<MinuteChart>> chart(@Nullable Instant from, @Nullable Instant to) {
        return answers.inTime(() -> {
            CompletionStage<Instant> end = to == null ? minutes.now() : CompletableFuture.completedFuture(to);
            return end.thenApply(known -> MinuteChart.Query.of(from, known)).thenCompose(this::read);
        });
    }

    private CompletionStage<Answer<MinuteChart>> read(Answer<MinuteChart.Query> asked) {
        if (asked instanceof Answer.Refused<MinuteChart.Query> refused) {
            return CompletableFuture.completedFuture(Answer.refused(refused.error()));
        }
        MinuteChart.Query query = ((Answer.Ok<MinuteChart.Query>) asked).value();
        return minutes.read(query.firstMinute(), query.endMinute() - 1)
                .thenApply(byMinute -> Answer.ok(MinuteChart.of(query, byMinute)));
    }
}
