package io.hadir.torture;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * How late this process is served by its machine: what it sees late, others may have done in time. Lives on the event
 * loop that it listens to.
 */
final class Pulse {
    private static final Duration EVERY = Duration.ofMillis(20);
    /** Less than this is the usual unrest of a timer. */
    private static final long STALL = TimeUnit.MILLISECONDS.toNanos(30);

    private static final long KEPT = TimeUnit.MINUTES.toNanos(2);

    private final Deque<Stall> stalls = new ArrayDeque<>();
    private final Stopwatch watch;
    private long expected;
    private long longest;
    private long sum;

    private record Stall(long end, long length) {}

    Pulse(Stopwatch watch) {
        this.watch = watch;
    }

    void start(EventLoop loop) {
        expected = watch.now() + EVERY.toNanos();
        loop.scheduleAtFixedRate(this::beat, EVERY.toNanos(), EVERY.toNanos(), TimeUnit.NANOSECONDS);
    }

    private void beat() {
        long now = watch.now();
        long late = now - expected;
        expected = Math.max(expected, now - EVERY.toNanos()) + EVERY.toNanos();
        if (late > STALL) {
            stalls.addLast(new Stall(now, late));
            longest = Math.max(longest, late);
            sum += late;
            while (stalls.getFirst().end < now - KEPT) {
                stalls.removeFirst();
            }
        }
    }

    /** How long this process stood still between two times. */
    long stalled(long from, long to) {
        long total = 0;
        for (Stall stall : stalls) {
            if (stall.end >= from && stall.end - stall.length <= to) {
                total += stall.length;
            }
        }
        return total;
    }

    long longest() {
        return longest;
    }

    long sum() {
        return sum;
    }
}
