package io.hadir.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

    /** Until a server that has ended is back, at most. */
    private static final long STARTING = 8_000_000_000L;

    private final List<Window> windows = new ArrayList<>();
    private final Terms terms;
    private final int nodes;

    /** A fault as it happens. */
    static final class Window {
        final FaultKind kind;
        final int node;
        final long start;
        /** Since when everything that was done may be undone by it. */
        final long undoes;

        private final Duration recovery;
        long end = Stopwatch.NEVER;

        Window(FaultKind kind, int node, long undoes, long start, Duration recovery) {
            this.kind = kind;
            this.node = node;
            this.undoes = undoes;
            this.start = start;
            this.recovery = recovery;
        }

        boolean concerns(int other) {
            return node == ALL || node == other;
        }

        long over() {
            return end == Stopwatch.NEVER ? end : end + recovery.toNanos();
        }

        /** Whether anything has to wait for its end. */
        boolean takesTime() {
            return switch (kind) {
                case CLIENTS_CUT, CLIENTS_RESET, KEY_DELETED, REDIS_FLUSH -> false;
                default -> true;
            };
        }

        /** From when on the server has what it needs to judge others; the lease until then is not counted. */
        long settled() {
            boolean ended = kind == FaultKind.NODE_KILL || kind == FaultKind.NODE_TERM;
            return over() == Stopwatch.NEVER ? Stopwatch.NEVER : over() + (ended ? STARTING : 0);
        }

        boolean overlaps(long from, long to) {
            return start <= to && over() >= from;
        }
    }

    Timeline(Terms terms, int nodes) {
        this.terms = terms;
        this.nodes = nodes;
    }

    Window begin(FaultKind kind, int node, long now) {
        return begin(kind, node, now, now);
    }

    /** A fault begins that may undo what was done since a time. */
    Window begin(FaultKind kind, int node, long undoes, long now) {
        windows.removeIf(window -> window.over() < now - KEPT);
        Window window = new Window(kind, node, undoes, now, kind.recovery(terms));
        windows.add(window);
        return window;
    }

    /** Whether nothing was broken between two times at these servers. */
    boolean calm(long from, long to, int... nodes) {
        return calmBut(null, from, to, nodes);
    }

    /** The same, with one fault that does not count. */
    boolean calmBut(@Nullable Window known, long from, long to, int... nodes) {
        for (Window window : windows) {
            for (int node : nodes) {
                if (window != known && window.concerns(node) && window.overlaps(from, to)) {
                    return false;
                }
            }
        }
        return true;
    }

    /**
     * By when something that happened at a server has to be known, and told by another; the other may be {@link #ALL} if
     * nobody has to tell it.
     */
    long deadline(long at, Cause cause, int node, int teller) {
        long before = -1;
        long deadline = at + cause.allowed(terms).toNanos();
        while (deadline != before && deadline != Stopwatch.NEVER) {
            before = deadline;
            deadline = untilItIsPutRight(at, cause, node, deadline);
            deadline = putOff(at, cause, node, teller, deadline);
            if (teller != ALL) {
                deadline = untilItIsSeen(deadline);
            }
        }
        return deadline;
    }

    /** What had been done is undone, or ends at another time: then the sweep does it, or for a dead server another one. */
    private long untilItIsPutRight(long at, Cause cause, int node, long deadline) {
        long put = deadline;
        for (Window window : windows) {
            if (window.kind.disorders() && window.undoes <= deadline && window.over() >= at) {
                long allowed = cause.allowed(terms).toNanos();
                if (endedBefore(node, at, window)) {
                    allowed = Math.max(allowed, Cause.KILL.allowed(terms).toNanos());
                }
                put = Math.max(put, after(window, allowed));
            }
        }
        return put;
    }

    private boolean endedBefore(int node, long at, Window window) {
        for (Window other : windows) {
            boolean ends = other.kind == FaultKind.NODE_KILL || other.kind == FaultKind.NODE_TERM;
            if (ends && other.node == node && other.start >= at && other.start <= window.over()) {
                return true;
            }
        }
        return false;
    }

    /** When Redis has lost everything there is nobody to name: whoever looks learns it when it is told to be out itself. */
    private long untilItIsSeen(long deadline) {
        long put = deadline;
        for (Window window : windows) {
            if (window.kind.forgets() && window.start <= deadline) {
                put = Math.max(put, after(window, terms.toldOfLoss().toNanos()));
            }
        }
        return put;
    }

    /** Goes through the faults in the order in which they began. */
    private long putOff(long at, Cause cause, int node, int teller, long deadline) {
        long allowed = cause.allowed(terms).toNanos();
        long carriedOut = at + cause.noticed(terms).toNanos() + UNDER_WAY;
        boolean dead = false;
        long put = deadline;
        for (Window window : windows) {
            if (!window.overlaps(at, deadline) || !window.takesTime()) {
                continue;
            }
            if (window.kind == FaultKind.MESSAGE_LOST) {
                put = window.concerns(teller) ? Math.max(put, after(window, Cause.TELLING.toNanos())) : put;
                continue;
            }
            // What is done to a server that was started after the dead one gives nobody more time.
            boolean underWay = dead ? window.node == ALL : window.concerns(node) && window.start <= carriedOut;
            if (window.kind == FaultKind.NODE_KILL) {
                if (underWay) {
                    dead = true;
                    long killed = Cause.KILL.allowed(terms).toNanos();
                    allowed = Math.max(allowed, killed);
                    put = Math.max(put, window.start + killed);
                    put = Math.max(put, judged(window.start, node));
                }
            } else if (underWay) {
                if (window.kind == FaultKind.NODE_TERM ? cause != Cause.TERMINATE : cause == Cause.TERMINATE) {
                    // The server may have ended before Redis could be told: then its lease decides.
                    allowed = Math.max(allowed, Cause.KILL.allowed(terms).toNanos());
                }
                // It has its whole time again.
                carriedOut = Math.max(carriedOut, after(window, UNDER_WAY));
                put = Math.max(put, after(window, allowed));
            } else if ((!dead && window.concerns(node)) || window.concerns(teller)) {
                // What was done already is only told later.
                put = Math.max(put, after(window, Cause.TELLING.toNanos()));
            }
        }
        return put;
    }

    /**
     * By when those of a dead server are removed by another that may judge: one whose last lease has gone well. Where there
     * is no other, it is the same one started again.
     */
    private long judged(long at, int dead) {
        long lease = terms.lease().toNanos();
        long remove = Cause.AFTER_LEASE.toNanos();
        long first = Stopwatch.NEVER;
        for (int node = 0; node < nodes; node++) {
            long ready = at + lease;
            for (Window window : windows) {
                if (window.node == node && window.kind.unsettles() && window.start <= ready + remove) {
                    ready = window.settled() == Stopwatch.NEVER
                            ? Stopwatch.NEVER - remove
                            : Math.max(ready, window.settled() + lease);
                }
            }
            if (node != dead || nodes == 1) {
                first = Math.min(first, ready + remove);
            }
        }
        return first;
    }

    private static long after(Window window, long time) {
        return window.over() == Stopwatch.NEVER ? Stopwatch.NEVER : window.over() + time;
    }

    /** Whether what a server has in Redis may have been lost between two times, or be of a time before. */
    boolean lost(long from, long to, int node) {
        return windows.stream()
                .anyMatch(window -> (window.kind.loses() || window.kind.setsClock())
                        && window.concerns(node)
                        && window.undoes <= to
                        && window.over() >= from);
    }

    /** When Redis was last back in order between two times: the first of them, if nothing disturbed it. */
    long lastDisorder(long from, long to) {
        long last = from;
        for (Window window : windows) {
            if (window.node == ALL && window.undoes <= to && window.over() >= from) {
                // What a clock makes last an hour too long need not be put right before it is over.
                last = Math.max(
                        last, Math.min(window.kind.setsClock() ? Stopwatch.NEVER : window.over(), Stopwatch.NEVER / 2));
            }
        }
        return last;
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
