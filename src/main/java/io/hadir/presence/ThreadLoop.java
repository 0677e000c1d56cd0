package io.hadir.presence;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** A loop on a thread of its own. */
public final class ThreadLoop implements Loop, AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ThreadLoop.class.getName());

    private final ScheduledThreadPoolExecutor thread;

    public ThreadLoop(String name) {
        thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread created = new Thread(task, name);
            created.setDaemon(true);
            return created;
        });
        thread.setRemoveOnCancelPolicy(true);
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        // A stage that completes late, after the end, has nobody left to tell.
        thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    @Override
    public void execute(Runnable task) {
        thread.execute(guarded(task));
    }

    @Override
    public Timer after(Duration delay, Runnable task) {
        ScheduledFuture<?> future = thread.schedule(guarded(task), delay.toNanos(), TimeUnit.NANOSECONDS);
        return () -> future.cancel(false);
    }

    /** A task that fails is our own bug; it must be seen, and must not take the loop with it. */
    private static Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException failure) {
                LOG.log(System.Logger.Level.ERROR, "a task of the presence loop failed", failure);
            }
        };
    }

    @Override
    public long nanos() {
        return System.nanoTime();
    }

    @Override
    public void close() {
        thread.shutdown();
    }
}
