package io.hadir.presence.stats;

import io.hadir.presence.room.Loop;
import io.hadir.presence.sweep.SweepReport;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes down every few seconds what this server has counted since the last time, and how many there are.
 *
 * <p>An entry that may not have been heard is given again until it was, and everything after it goes into the next one:
 * nothing is lost or added twice while the log is away, and nothing piles up.
 */
public final class HistoryKeeper {
    private static final Duration EVERY = Duration.ofSeconds(5);

    private final HistoryLog log;
    private final Supplier<Tally> counted;
    private final Supplier<CompletionStage<Gauges>> gauges;
    private final Loop loop;
    private CompletableFuture<Void> writing = CompletableFuture.completedFuture(null);
    private Tally added = Tally.NOTHING;
    private @Nullable Unsure unsure;
    private @Nullable Duration longestSweep;
    private long entries;
    private boolean ended;

    /** An entry of which it is not known whether it was heard, and what was counted in all when it was made. */
    private record Unsure(HistoryLog.Entry entry, Tally counted) {}

    /**
     * A keeper for one server.
     *
     * @param counted what this server has counted since its start
     */
    public HistoryKeeper(HistoryLog log, Supplier<Tally> counted, Supplier<CompletionStage<Gauges>> gauges, Loop loop) {
        this.log = log;
        this.counted = counted;
        this.gauges = gauges;
        this.loop = loop;
    }

    /** Begins to write every few seconds. */
    public void start() {
        loop.after(EVERY, () -> {
            if (!ended) {
                write().whenCompleteAsync((done, failed) -> start(), loop);
            }
        });
    }

    /** Writes the last counts down. How many there are is for those to say who stay. */
    public CompletionStage<Void> stop() {
        return CompletableFuture.runAsync(() -> ended = true, loop)
                .thenCompose(done -> write(() -> CompletableFuture.completedFuture(Gauges.UNKNOWN)));
    }

    /** A sweep has ended. One that broke off says nothing about how long they take. */
    public void swept(SweepReport report) {
        loop.execute(() -> {
            if (report.finished() && (longestSweep == null || report.took().compareTo(longestSweep) > 0)) {
                longestSweep = report.took();
            }
        });
    }

    /** Writes down what there is, after what is being written now. Never fails: what was not heard is told again. */
    public CompletionStage<Void> write() {
        return write(gauges);
    }

    private CompletionStage<Void> write(Supplier<CompletionStage<Gauges>> many) {
        return CompletableFuture.supplyAsync(
                        () -> {
                            writing = writing.handleAsync((done, failed) -> add(many), loop)
                                    .thenCompose(added -> added);
                            return writing;
                        },
                        loop)
                .thenCompose(written -> written);
    }

    private CompletionStage<Void> add(Supplier<CompletionStage<Gauges>> many) {
        return many.get()
                .thenComposeAsync(known -> log.add(next().entry, known), loop)
                .handleAsync(
                        (done, failed) -> {
                            Unsure given = unsure;
                            if (failed == null && given != null) {
                                added = given.counted;
                                unsure = null;
                            }
                            return null;
                        },
                        loop);
    }

    private Unsure next() {
        Unsure next = unsure;
        if (next == null) {
            Tally now = counted.get();
            next = new Unsure(new HistoryLog.Entry(++entries, now.minus(added), longestSweep), now);
            unsure = next;
            longestSweep = null;
        }
        return next;
    }
}
