package io.hadir.torture;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * How late this process, the servers and Redis are served by their machine: what is seen late may have been done in time.
 * Lives on the event loop that it listens to.
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
    private long starved;

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
            longest = Math.max(longest, late);
            sum += late;
            add(now, late);
        }
    }

    /** The servers and Redis had to wait so long for a processor until now. */
    void starved(long time) {
        if (time > STALL) {
            starved += time;
            add(watch.now(), time);
        }
    }

    private void add(long end, long length) {
        stalls.addLast(new Stall(end, length));
        while (stalls.getFirst().end < end - KEPT) {
            stalls.removeFirst();
        }
    }

    /** How long was lost between two times. */
    long stalled(long from, long to) {
        long total = 0;
        for (Stall stall : stalls) {
            total += Math.max(0, Math.min(stall.end, to) - Math.max(stall.end - stall.length, from));
        }
        return total;
    }

    /** A deadline that was set at a time, later by what was lost until then, and not by what is lost afterwards. */
    long putOff(long from, long deadline) {
        long put = deadline;
        for (long next = deadline + stalled(from, put); next != put; next = deadline + stalled(from, put)) {
            put = next;
        }
        return put;
    }

    long longest() {
        return longest;
    }

    long starved() {
        return starved;
    }

    long sum() {
        return sum;
    }
}
