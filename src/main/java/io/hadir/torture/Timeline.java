package io.hadir.torture;

import java.util.ArrayList;
import java.util.List;

/**
 * What is broken from when to when, and what that means for the time by which something has to be known. A time is put
 * off by a fault only as the contract says: while Redis or the server concerned is away nothing can be done, and
 * afterwards it has its time again.
 */
final class Timeline {
    /** Every server. */
    static final int ALL = -1;

    /** What is carried out in so short a time can be under way when a fault begins. */
    private static final long UNDER_WAY = 1_000_000_000L;

    private static final long KEPT = 180_000_000_000L;

    private final List<Window> windows = new ArrayList<>();
    private final Terms terms;

    /** A fault as it happens. */
    static final class Window {
        final FaultKind kind;
        final int node;
        final long start;
        long end = Stopwatch.NEVER;

        Window(FaultKind kind, int node, long start) {
            this.kind = kind;
            this.node = node;
            this.start = start;
        }

        boolean concerns(int other) {
            return node == ALL || node == other;
        }

        long over() {
            return end == Stopwatch.NEVER ? end : end + kind.recovery().toNanos();
        }

        boolean overlaps(long from, long to) {
            return start <= to && over() >= from;
        }
    }

    Timeline(Terms terms) {
        this.terms = terms;
    }

    Window begin(FaultKind kind, int node, long now) {
        windows.removeIf(window -> window.over() < now - KEPT);
        Window window = new Window(kind, node, now);
        windows.add(window);
        return window;
    }

    /** Whether nothing was broken between two times at these servers. */
    boolean calm(long from, long to, int... nodes) {
        for (Window window : windows) {
            for (int node : nodes) {
                if (window.concerns(node) && window.overlaps(from, to)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** By when something that happened at a server has to be known everywhere. */
    long deadline(long at, Cause cause, int node) {
        long allowed = cause.allowed(terms).toNanos();
        long carriedOut = at + cause.noticed(terms).toNanos() + UNDER_WAY;
        long deadline = at + allowed;
        while (true) {
            long put = deadline;
            for (Window window : windows) {
                if (window.concerns(node) && window.overlaps(at, deadline)) {
                    put = Math.max(put, putOff(window, cause, allowed, carriedOut));
                }
            }
            if (put == deadline || put == Stopwatch.NEVER) {
                return put;
            }
            deadline = put;
        }
    }

    private long putOff(Window window, Cause cause, long allowed, long carriedOut) {
        return switch (window.kind) {
            case NODE_KILL ->
                window.start <= carriedOut
                        ? window.start + Cause.KILL.allowed(terms).toNanos()
                        : 0;
            case CLIENTS_CUT, CLIENTS_RESET, KEY_DELETED, REDIS_FLUSH -> 0;
            default -> {
                // What was under way has its whole time again; what was done already is only told later.
                boolean again = window.start <= carriedOut || cause == Cause.KILL;
                yield after(window, again ? allowed : Cause.TELLING.toNanos());
            }
        };
    }

    private static long after(Window window, long time) {
        return window.over() == Stopwatch.NEVER ? Stopwatch.NEVER : window.over() + time;
    }

    /** By when something simple, seen at a time, has to be known at a server. */
    long deadline(long at, long allowed, int node) {
        long deadline = at + allowed;
        for (Window window : windows) {
            if (window.concerns(node) && window.overlaps(at, deadline)) {
                deadline = Math.max(deadline, after(window, allowed));
            }
        }
        return deadline;
    }
}
