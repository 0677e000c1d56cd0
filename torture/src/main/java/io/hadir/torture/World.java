package io.hadir.torture;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What everybody in a run shares. Everything that happens in it happens on the loop.
 *
 * @param doors where the clients of each server come in
 */
record World(
        EventLoop loop,
        Stopwatch watch,
        Terms terms,
        Timeline timeline,
        Model model,
        Online online,
        Pulse pulse,
        Story story,
        Tally tally,
        Findings findings,
        List<Link> doors) {
    private static final long UNREST = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long WHILE = TimeUnit.SECONDS.toNanos(3);

    long now() {
        return watch.now();
    }

    int nodes() {
        return doors.size();
    }

    void after(Duration delay, Runnable task) {
        loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Whether nothing was broken at these servers since a time, and the machine had time for them. */
    boolean isUndisturbed(long since, int... servers) {
        return timeline.calm(since, now(), servers)
                && pulse.stalled(since, now()) < Math.max(UNREST, (now() - since) / 4);
    }

    /** Whether nothing has been broken at a server, or at Redis, for a while. */
    boolean isWhole(int node) {
        return timeline.calm(now() - WHILE, now(), node);
    }

    /** The same, and the machine had time for everything. */
    boolean isCalm(int node) {
        long since = now() - WHILE;
        return timeline.calm(since, now(), node) && pulse.stalled(since, now()) == 0;
    }
}
