package io.hadir.presence.sweep;

import io.hadir.presence.room.Loop;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Keeps a scan below its share of the store's time: it measures how long the store works for the scan, and rests
 * between steps for as long as that takes. What it measures includes the way to the store and back, so the true share
 * is lower.
 */
public final class Pace {
    /** A step is short. If its answer took longer than that explains, Redis stood still or is far away. */
    private static final Duration LONGEST_REST = Duration.ofSeconds(5);

    private final Loop loop;
    private final double share;
    private final AtomicLong spent = new AtomicLong();

    /**
     * A pace.
     *
     * @param share above 0; with 1 a scan never rests
     */
    public Pace(Loop loop, double share) {
        this.loop = loop;
        this.share = share;
    }

    /** Counts the time until the store has answered. */
    public <T> CompletionStage<T> measure(Supplier<CompletionStage<T>> question) {
        long begun = loop.nanos();
        return question.get().whenComplete((answer, failed) -> spent.addAndGet(loop.nanos() - begun));
    }

    /** Completes when the scan may go on. */
    public CompletionStage<Void> rest() {
        long owed = (long) (spent.getAndSet(0) * (1 / share - 1));
        Duration rest = Duration.ofNanos(Math.min(owed, LONGEST_REST.toNanos()));
        CompletableFuture<Void> over = new CompletableFuture<>();
        if (rest.isZero()) {
            over.complete(null);
        } else {
            loop.after(rest, () -> over.complete(null));
        }
        return over;
    }
}
