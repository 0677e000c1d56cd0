package io.hadir.presence;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** What operators ask: which servers there are, and who was removed when and why. May be called from any thread. */
public final class Overview {
    private final Nodes nodes;
    private final RemovalLog log;
    private final Loop loop;

    public Overview(Nodes nodes, RemovalLog log, Loop loop) {
        this.nodes = nodes;
        this.log = log;
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
}
