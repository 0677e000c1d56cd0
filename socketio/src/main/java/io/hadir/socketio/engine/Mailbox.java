package io.hadir.socketio.engine;

import io.netty.channel.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task at a time, in the order in which they were posted, on its home event loop. That makes the state of
 * whoever extends it single-threaded without a lock. A task may move the home to another loop and is then run once more
 * over there; the order survives the move, because the queue is the mailbox' own and not the loop's.
 */
abstract class Mailbox implements Runnable {
    private static final Logger log = LoggerFactory.getLogger(Mailbox.class);
    private static final AtomicIntegerFieldUpdater<Mailbox> PENDING =
            AtomicIntegerFieldUpdater.newUpdater(Mailbox.class, "pending");

    private final Queue<Object> queue = new ConcurrentLinkedQueue<>();
    private volatile EventLoop home;

    /** Posted tasks that have not ended, and one for a caller that {@link #enter} let in. Who raises it from 0 runs. */
    @SuppressWarnings("UnusedVariable") // used through its updater
    private volatile int pending;

    Mailbox(EventLoop home) {
        this.home = home;
    }

    /** Handles one posted task. */
    abstract void handle(Object task);

    /** All that was posted has been handled; what follows comes later. */
    abstract void settled();

    /** A task threw. May not throw itself. */
    abstract void failed(Throwable failure);

    final EventLoop home() {
        return home;
    }

    /** Changes the home. For posted tasks only; if the loop is another one, the task runs once more over there. */
    final void moveTo(EventLoop loop) {
        home = loop;
    }

    /** Posts a task, from any thread. It never runs before this returns. */
    final void post(Object task) {
        if (enqueue(task)) {
            execute(home, this);
        }
    }

    /** Runs a task on a loop, unless the loops have ended; that is after all mailboxes, so nobody misses it. */
    static void execute(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            log.debug("The event loops have ended");
        }
    }

    /** Posts a task, but leaves it to the caller to have {@link #run} called on {@link #home} if this returns true. */
    final boolean enqueue(Object task) {
        queue.add(task);
        return PENDING.getAndIncrement(this) == 0;
    }

    /** Lets a caller on the home loop work at once if nothing is pending; it must call {@link #exit} when done. */
    final boolean enter() {
        return home.inEventLoop() && PENDING.compareAndSet(this, 0, 1);
    }

    final void exit() {
        if (PENDING.decrementAndGet(this) > 0) {
            run();
        }
    }

    @Override
    public final void run() {
        do {
            if (home.inEventLoop()) {
                try {
                    handle(queue.element());
                    if (pending == 1 && home.inEventLoop()) {
                        settled();
                    }
                } catch (Throwable failure) {
                    failed(failure);
                }
            }
            if (!home.inEventLoop()) {
                execute(home, this);
                return;
            }
            queue.remove();
        } while (PENDING.decrementAndGet(this) > 0);
    }
}
