package io.hadir.torture;

import io.netty.channel.EventLoop;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The shared state of a run. All of it is confined to the event loop.
 *
 * @param clientLinks the link through which the clients of each server connect
 */
record Run(
        EventLoop loop,
        Stopwatch watch,
        ServerSettings settings,
        FaultTimeline timeline,
        PresenceModel model,
        OnlineModel online,
        Stalls stalls,
        History history,
        Statistics statistics,
        Findings findings,
        List<Link> clientLinks) {
    private static final long UNREST = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RECENT = TimeUnit.SECONDS.toNanos(3);

    /**
     * @param nanos the time, in nanoseconds from any origin
     * @param progress hears about every finding at once
     */
    static Run start(
            EventLoop loop,
            LongSupplier nanos,
            ServerSettings settings,
            int nodes,
            List<Link> clientLinks,
            Consumer<String> progress) {
        Stopwatch watch = new Stopwatch(nanos);
        FaultTimeline timeline = new FaultTimeline(settings, nodes);
        History history = new History(watch);
        Stalls stalls = new Stalls(watch);
        return new Run(
                loop,
                watch,
                settings,
                timeline,
                new PresenceModel(nodes, watch, settings, history),
                new OnlineModel(watch, timeline, stalls, settings),
                stalls,
                history,
                new Statistics(),
                new Findings(watch, history, progress),
                clientLinks);
    }

    long now() {
        return watch.now();
    }

    int nodes() {
        return clientLinks.size();
    }

    void after(Duration delay, Runnable task) {
        loop.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Records a broken promise. */
    void report(Findings.Kind kind, String user, String what) {
        findings.add(kind, user, what);
    }

    /** Whether no fault has concerned these servers since a time and the machine was not too busy. */
    boolean isUndisturbed(long since, int... servers) {
        return timeline.isCalm(since, now(), servers)
                && stalls.between(since, now()) < Math.max(UNREST, (now() - since) / 4);
    }

    /** Whether no fault has concerned a server, or Redis, in the last seconds. */
    boolean isWhole(int node) {
        return timeline.isCalm(now() - RECENT, now(), node);
    }

    /** The same, and the machine had time for everything. */
    boolean isCalm(int node) {
        return isWhole(node) && stalls.between(now() - RECENT, now()) == 0;
    }
}
