package io.hadir.metrics;

import io.hadir.presence.Nodes;
import io.hadir.presence.PresenceScan.Sighting;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Nodes of which is known whether this one holds its lease. */
final class MeasuredNodes implements Nodes {
    private final Nodes nodes;
    private final Duration lease;
    private final Counter failed;
    private final Counter lost;
    private volatile boolean renewed;
    private volatile long renewedAt;

    MeasuredNodes(Nodes nodes, Duration lease, Metrics metrics) {
        this.nodes = nodes;
        this.lease = lease;
        failed = metrics.counter("hadir.lease.renewals.failed", "Renewals of this server's lease that failed");
        lost = metrics.counter("hadir.lease.losses", "Times that this server's lease had run out before its renewal");
        metrics.gauge("hadir.lease.held", "Whether this server holds its lease", () -> isHeld() ? 1 : 0);
    }

    private boolean isHeld() {
        return renewed && System.nanoTime() - renewedAt < lease.toNanos();
    }

    @Override
    public CompletionStage<Boolean> renewLease() {
        long sent = System.nanoTime();
        return nodes.renewLease().whenComplete((kept, failure) -> {
            if (failure != null) {
                failed.increment();
                return;
            }
            if (!kept && renewed) {
                lost.increment();
            }
            renewedAt = sent;
            renewed = true;
        });
    }

    @Override
    public CompletionStage<Void> endLease() {
        renewed = false;
        return nodes.endLease();
    }

    @Override
    public String self() {
        return nodes.self();
    }

    @Override
    public CompletionStage<Set<String>> withoutLease() {
        return nodes.withoutLease();
    }

    @Override
    public CompletionStage<Optional<Set<String>>> alive(Set<String> asked) {
        return nodes.alive(asked);
    }

    @Override
    public CompletionStage<Void> forget(Set<String> gone) {
        return nodes.forget(gone);
    }

    @Override
    public CompletionStage<Boolean> lockScan(boolean due) {
        return nodes.lockScan(due);
    }

    @Override
    public CompletionStage<Void> unlockScan(boolean finished) {
        return nodes.unlockScan(finished);
    }

    @Override
    public void ask(String node, List<Sighting> sightings) {
        nodes.ask(node, sightings);
    }

    @Override
    public void listen(Consumer<List<Sighting>> asked) {
        nodes.listen(asked);
    }
}
