package io.hadir.presence;

import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A loop on a thread of its own. */
public final class ThreadLoop implements Loop, AutoCloseable {
    private final ScheduledThreadPoolExecutor thread;
    private final Consumer<RuntimeException> failed;

    /**
     * Starts the thread with the first task.
     *
     * @param failed hears of tasks that failed, which is our own bug; the loop goes on
     */
    public ThreadLoop(String name, Consumer<RuntimeException> failed) {
        this.failed = failed;
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

    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException failure) {
                failed.accept(failure);
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
