package io.hadir.redis.link;

import io.hadir.presence.room.Loop;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks on the thread of the connections to Redis, so commands and answers never change threads. */
final class LinkLoop implements Loop {
    private static final Logger LOG = LoggerFactory.getLogger(LinkLoop.class);

    private final EventExecutor thread;
    private volatile boolean ended;

    LinkLoop(EventExecutor thread) {
        this.thread = thread;
    }

    @Override
    public void execute(Runnable task) {
        try {
            thread.execute(() -> run(task));
        } catch (RejectedExecutionException end) {
            // A stage completes after the end; nothing waits for it any more.
        }
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        try {
            ScheduledFuture<?> future = thread.schedule(() -> run(task), delay.toNanos(), TimeUnit.NANOSECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException end) {
            return () -> {};
        }
    }

    /** Logs failures, which are our own bugs, and lets the loop go on. */
    private void run(Runnable task) {
        if (ended) {
            return;
        }
        try {
            task.run();
        } catch (RuntimeException failure) {
            LOG.error("a task of the presence loop failed", failure);
        }
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    /** Starts no further task. */
    void end() {
        ended = true;
    }
}
