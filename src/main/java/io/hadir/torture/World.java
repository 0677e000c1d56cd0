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
        Pulse pulse,
        Story story,
        Tally tally,
        Findings findings,
        List<Link> doors) {
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

    /** Whether a server, and Redis, have been well for a while. */
    boolean isCalm(int node) {
        long since = now() - WHILE;
        return timeline.calm(since, now(), node) && pulse.stalled(since, now()) == 0;
    }
}
