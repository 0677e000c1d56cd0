package io.hadir.presence.room;

import java.time.Duration;
import java.util.concurrent.Executor;

/** The one thread on which the local state of presence lives, and its time. */
public interface Loop extends Executor {
    /** Runs a task later on this loop. */
    Timer after(Duration delay, Runnable task);

    /** Time that only goes forward, to be compared with itself. */
    long nanos();

    /** A task that has been put off. */
    interface Timer {
        void cancel();
    }
}
