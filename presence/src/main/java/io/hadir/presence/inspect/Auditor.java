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
 * Audits the running system: compares everything in Redis with the sockets of all nodes, one audit at a time. May be
 * called from any thread.
 */
public final class Auditor {
    /** Time beyond the sweep's interval for the sweep itself and for the other nodes that it asks. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final Parts parts;
    private final InstantSource clock;
    private @Nullable AuditRun run;
    private volatile @Nullable AuditReport finished;

    /** What an audit works with. */
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

    /**
     * Begins an audit, unless one is under way.
     *
     * @param repair whether to repair discrepancies; also applies to an audit under way
     */
    public CompletionStage<AuditReport> begin(boolean repair) {
        return CompletableFuture.supplyAsync(
                () -> {
                    AuditRun current = run;
                    if (current == null || current.isOver()) {
                        current = newRun(current == null ? Map.of() : current.found());
                        run = current;
                        current.run().thenAccept(this::ended);
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

    private void ended(AuditReport report) {
        if (report.phase() == AuditReport.Phase.FINISHED) {
            finished = report;
        }
    }

    /** The report of the audit under way, or of the last one; empty if there was none. */
    public CompletionStage<Optional<AuditReport>> report() {
        return CompletableFuture.supplyAsync(() -> Optional.ofNullable(run).map(AuditRun::report), parts.loop());
    }

    /** The last audit that finished; null if none has. */
    public @Nullable AuditReport finished() {
        return finished;
    }
}
