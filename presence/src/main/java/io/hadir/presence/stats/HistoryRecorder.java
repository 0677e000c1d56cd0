package io.hadir.presence.stats;

import io.hadir.presence.room.Loop;
import io.hadir.presence.sweep.SweepReport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Adds this node's counts and the gauges to the {@link HistoryLog} every five seconds, its shortest step.
 *
 * <p>An entry is repeated until the log confirms it, and later counts wait for the next entry. So an outage loses no
 * counts, adds none twice, and nothing piles up.
 */
public final class HistoryRecorder {
    private static final Duration EVERY = HistoryChart.Step.FIVE_SECONDS.length();

    private final HistoryLog log;
    private final Supplier<Tally> counted;
    private final Supplier<CompletionStage<Gauges>> gauges;
    private final Loop loop;
    private CompletableFuture<Void> writing = CompletableFuture.completedFuture(null);
    private Tally added = Tally.NOTHING;
    private @Nullable Unconfirmed unconfirmed;
    private @Nullable Duration longestSweep;
    private long entries;
    private boolean ended;

    /** An entry that the log may not have, and the total counts when it was made. */
    private record Unconfirmed(HistoryLog.Entry entry, Tally counted) {}

    /** @param counted what this node has counted since its start */
    public HistoryRecorder(
            HistoryLog log, Supplier<Tally> counted, Supplier<CompletionStage<Gauges>> gauges, Loop loop) {
        this.log = log;
        this.counted = counted;
        this.gauges = gauges;
        this.loop = loop;
    }

    /** Begins to record every few seconds. */
    public void start() {
        loop.after(EVERY, () -> {
            if (!ended) {
                write().whenCompleteAsync((done, failed) -> start(), loop);
            }
        });
    }

    /** Records the last counts, without gauges: the other nodes record those. */
    public CompletionStage<Void> stop() {
        return CompletableFuture.runAsync(() -> ended = true, loop)
                .thenCompose(done -> write(() -> CompletableFuture.completedFuture(Gauges.UNKNOWN)));
    }

    /** A sweep has ended. An unfinished one says nothing about how long sweeps take. */
    public void swept(SweepReport report) {
        loop.execute(() -> {
            if (report.finished() && (longestSweep == null || report.took().compareTo(longestSweep) > 0)) {
                longestSweep = report.took();
            }
        });
    }

    /** Adds an entry after the one under way. Never fails: an unconfirmed entry is repeated the next time. */
    public CompletionStage<Void> write() {
        return write(gauges);
    }

    private CompletionStage<Void> write(Supplier<CompletionStage<Gauges>> source) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            writing = writing.handleAsync((done, failed) -> add(source), loop)
                                    .thenCompose(added -> added);
                            return writing;
                        },
                        loop)
                .thenCompose(written -> written);
    }

    private CompletionStage<Void> add(Supplier<CompletionStage<Gauges>> source) {
        return source.get()
                .thenComposeAsync(known -> log.add(next().entry, known), loop)
                .handleAsync(
                        (done, failed) -> {
                            Unconfirmed given = unconfirmed;
                            if (failed == null && given != null) {
                                added = given.counted;
                                unconfirmed = null;
                            }
                            return null;
                        },
                        loop);
    }

    private Unconfirmed next() {
        Unconfirmed next = unconfirmed;
        if (next == null) {
            Tally now = counted.get();
            next = new Unconfirmed(new HistoryLog.Entry(++entries, now.minus(added), longestSweep), now);
            unconfirmed = next;
            longestSweep = null;
        }
        return next;
    }
}
