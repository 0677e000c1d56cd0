package io.hadir.redis.link;

import io.netty.util.Timeout;
import io.netty.util.Timer;
import io.netty.util.TimerTask;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lettuce's deadlines, kept by the thread on which commands are sent and answered. Its own timer, on a thread that wakes ten times
 * a second, holds every command with its answer until it wakes: so much that the young survive into the old generation.
 */
final class LoopTimer implements Timer {
    private static final Logger LOG = LoggerFactory.getLogger(LoopTimer.class);

    private final EventExecutor thread;

    LoopTimer(EventExecutor thread) {
        this.thread = thread;
    }

    @Override
    public Timeout newTimeout(TimerTask task, long delay, TimeUnit unit) {
        Deadline deadline = new Deadline(task);
        deadline.future = thread.schedule(deadline, delay, unit);
        return deadline;
    }

    /** What is waiting ends with the thread, which is not ours to end. */
    @Override
    public Set<Timeout> stop() {
        return Set.of();
    }

    private final class Deadline implements Timeout, Runnable {
        private final TimerTask task;
        private volatile @Nullable ScheduledFuture<?> future;
        private volatile boolean expired;

        Deadline(TimerTask task) {
            this.task = task;
        }

        @Override
        public void run() {
            expired = true;
            try {
                task.run(this);
            } catch (Exception failed) {
                LOG.warn("a deadline of the Redis client failed", failed);
            }
        }

        @Override
        public Timer timer() {
            return LoopTimer.this;
        }

        @Override
        public TimerTask task() {
            return task;
        }

        @Override
        public boolean isExpired() {
            return expired;
        }

        @Override
        public boolean isCancelled() {
            ScheduledFuture<?> scheduled = future;
            return scheduled != null && scheduled.isCancelled();
        }

        @Override
        public boolean cancel() {
            ScheduledFuture<?> scheduled = future;
            return scheduled != null && scheduled.cancel(false);
        }
    }
}
