package io.hadir.socketio.engine;

import io.netty.channel.EventLoop;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task at a time, in the order of posting, on its home event loop. So a subclass has single-threaded state
 * without a lock. A task may move the home to another loop and then runs once more there. The order survives the move,
 * because the queue belongs to the mailbox and not to the loop.
 */
abstract class Mailbox implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Mailbox.class);
    private static final AtomicIntegerFieldUpdater<Mailbox> PENDING =
            AtomicIntegerFieldUpdater.newUpdater(Mailbox.class, "pending");

    private final Queue<Object> queue = new ConcurrentLinkedQueue<>();
    private volatile EventLoop home;

    /**
     * Unfinished tasks, plus one for a caller inside {@link #enter}. The thread that raises it from 0 runs the tasks.
     */
    @SuppressWarnings("UnusedVariable") // written through its updater
    private volatile int pending;

    Mailbox(EventLoop home) {
        this.home = home;
    }

    /** Handles one posted task. */
    abstract void handle(Object task);

    /** Called when the queue is empty after one or more tasks. */
    abstract void settled();

    /** Called when a task threw. Must not throw. */
    abstract void failed(Throwable failure);

    final EventLoop home() {
        return home;
    }

    /** Changes the home. For posted tasks only. If the loop differs, the task runs once more there. */
    final void moveTo(EventLoop loop) {
        home = loop;
    }

    /** Posts a task, from any thread. It never runs inside this call. */
    final void post(Object task) {
        if (enqueue(task)) {
            execute(home, this);
        }
    }

    /** Runs a task on a loop, or discards it if the loops have ended, which they do after all mailboxes are done. */
    static void execute(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("The event loops have ended");
        }
    }

    /**
     * Posts a task without waking the mailbox: if this returns true, the caller must have {@link #run} called on {@link
     * #home}.
     */
    final boolean enqueue(Object task) {
        queue.add(task);
        return PENDING.getAndIncrement(this) == 0;
    }

    /**
     * Lets a caller on the home loop act as a task if nothing is pending. If true, it must call {@link #exit} when
     * done.
     */
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
