package io.hadir.presence.room;

import java.time.Duration;
import java.util.concurrent.Executor;

/** The single thread on which the local state of a node lives, and its clock. */
public interface Loop extends Executor {
    /** Runs a task later on this loop. */
    Timer after(Duration delay, Runnable task);

    /** Monotonic time; only differences have a meaning. */
    long nanos();

    /** A task that runs later. */
    interface Timer {
        void cancel();
    }
}
