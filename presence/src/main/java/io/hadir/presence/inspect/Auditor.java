package io.hadir.presence.inspect;

import io.hadir.presence.Stores;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.PresenceScan;
import io.hadir.presence.sweep.SweepReport;
import io.hadir.presence.sweep.Sweeper;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Holds everything in Redis and on all nodes against each other while the system runs, one audit at a time. May be called
 * from any thread.
 */
public final class Auditor {
    /** Beyond the sweep's interval: for the sweep itself, and for what it asks others to do. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final Parts parts;
    private final InstantSource clock;
    private @Nullable AuditRun run;
    private volatile @Nullable AuditReport finished;

    /** What an audit asks. */
    public record Parts(
            Stores stores,
            PresenceScan scan,
            SeatRecords records,
            Nodes nodes,
            Peers peers,
            Sweeper sweeper,
            Loop loop,
            PresenceSettings settings) {}

    public Auditor(Parts parts, InstantSource clock) {
        this.parts = parts;
        this.clock = clock;
    }

    /** Begins an audit, unless one is under way. If that is to repair and the one under way is not, it will. */
    public CompletionStage<AuditReport> begin(boolean repair) {
        return CompletableFuture.supplyAsync(
                () -> {
                    AuditRun current = run;
                    if (current == null || current.isOver()) {
                        current = newRun(current == null ? Map.of() : current.found());
                        run = current;
                        current.run().thenAccept(this::note);
                    }
                    if (repair) {
                        current.repairToo();
                    }
                    return current.report();
                },
                parts.loop());
    }

    private AuditRun newRun(Map<Discrepancy, Long> known) {
        SweepReport last = parts.sweeper().last();
        Duration sweep = parts.settings().sweep().plus(MARGIN).plus(last == null ? Duration.ZERO : last.took());
        return new AuditRun(parts, known, clock.instant(), sweep);
    }

    private void note(AuditReport report) {
        if (report.phase() == AuditReport.Phase.FINISHED) {
            finished = report;
        }
    }

    /** The audit that is under way, or the last one; empty if there was none. */
    public CompletionStage<Optional<AuditReport>> look() {
        return CompletableFuture.supplyAsync(() -> Optional.ofNullable(run).map(AuditRun::report), parts.loop());
    }

    /** The last audit that came to its end, null if none has. */
    public @Nullable AuditReport finished() {
        return finished;
    }
}
