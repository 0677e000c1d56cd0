package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which faults were active when, and how they postpone deadlines. A fault postpones a deadline only as the contract
 * says: while Redis or the server concerned is away nothing can be done, and afterwards the allowed time starts again.
 */
final class FaultTimeline {
    /** Stands for every server. */
    static final int ALL = -1;

    /** An action that takes less than this may still be under way when a fault begins. */
    private static final long UNDER_WAY = Duration.ofSeconds(1).toNanos();

    private static final long KEPT = Duration.ofMinutes(3).toNanos();
    /** How long a server may take to start again. */
    private static final long STARTING = Duration.ofSeconds(8).toNanos();

    private final List<Window> windows = new ArrayList<>();
    private final ServerSettings settings;
    private final int nodes;

    /** One fault as it happened. */
    static final class Window {
        final FaultKind kind;
        final int node;
        final long start;
        /** The fault may undo everything that was done since this time. */
        final long undoesSince;

        /** Whether sockets that it concerns may lose their presences. */
        final boolean losesPresences;

        private final Duration recovery;
        long end = Stopwatch.NEVER;

        Window(FaultKind kind, int node, long undoesSince, long start, boolean losesPresences, Duration recovery) {
            this.kind = kind;
            this.node = node;
            this.undoesSince = undoesSince;
            this.start = start;
            this.losesPresences = losesPresences;
            this.recovery = recovery;
        }

        /** Whether it breaks trunks, and not the connections of clients. */
        private boolean concernsTrunks() {
            return concernsTrunks(kind, node);
        }

        private static boolean concernsTrunks(FaultKind kind, int node) {
            return node == ALL && kind.affectsOneNode() && kind != FaultKind.MESSAGE_LOST;
        }

        boolean concerns(int other) {
            return node == ALL || node == other;
        }

        /** When the fault has ended and its consequences are over. */
        long recoveredAt() {
            return end == Stopwatch.NEVER ? end : end + recovery.toNanos();
        }

        /** Whether deadlines wait for its end. */
        boolean postpones() {
            return switch (kind) {
                case CLIENTS_CUT, CLIENTS_RESET -> concernsTrunks();
                case KEY_DELETED, REDIS_FLUSH -> false;
                default -> true;
            };
        }

        /** When the server can begin the whole lease that it needs before it may remove the users of others. */
        long settledAt() {
            return after(kind.endsNode() ? STARTING : 0);
        }

        boolean overlaps(long from, long to) {
            return start <= to && recoveredAt() >= from;
        }

        private long after(long time) {
            return recoveredAt() == Stopwatch.NEVER ? Stopwatch.NEVER : recoveredAt() + time;
        }
    }

    FaultTimeline(ServerSettings settings, int nodes) {
        this.settings = settings;
        this.nodes = nodes;
    }

    Window begin(FaultKind kind, int node, long now) {
        return begin(kind, node, now, now);
    }

    /** Begins a fault that may undo everything since the given time. */
    Window begin(FaultKind kind, int node, long undoesSince, long now) {
        windows.removeIf(window -> window.recoveredAt() < now - KEPT);
        boolean losesPresences = kind.losesPresences(settings) || strandsTrunks(kind, node, now);
        Window window = new Window(kind, node, undoesSince, now, losesPresences, kind.recovery(settings));
        windows.add(window);
        return window;
    }

    /**
     * Whether trunks move while Redis is away. They then cannot bring back their users, whose grace period runs out,
     * like that of clients that reconnect meanwhile.
     */
    private boolean strandsTrunks(FaultKind kind, int node, long now) {
        boolean concernsTrunks = Window.concernsTrunks(kind, node);
        return windows.stream()
                .anyMatch(other -> other.concernsTrunks() != concernsTrunks
                        && other.node == ALL
                        && node == ALL
                        && other.postpones()
                        && other.overlaps(now, now));
    }

    /** Whether no fault concerned these servers between two times. */
    boolean isCalm(long from, long to, int... servers) {
        return isCalmExcept(null, from, to, servers);
    }

    /** The same, not counting one fault. */
    boolean isCalmExcept(@Nullable Window known, long from, long to, int... servers) {
        for (Window window : windows) {
            for (int server : servers) {
                if (window != known && window.concerns(server) && window.overlaps(from, to)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** By when a server must know about a simple event at the given time. */
    long deadline(long at, long allowed, int node) {
        long deadline = at + allowed;
        for (Window window : windows) {
            if (window.concerns(node) && window.overlaps(at, deadline)) {
                deadline = Math.max(deadline, window.after(allowed));
            }
        }
        return deadline;
    }

    /**
     * By when a user must be out.
     *
     * @param at when the claim departed
     * @param node the server that must act on it
     * @param viewer the server that must have told its clients; {@link #ALL} if only the keys in Redis count
     */
    long deadline(long at, Cause cause, int node, int viewer) {
        long before = -1;
        long deadline = at + cause.allowed(settings).toNanos();
        while (deadline != before && deadline != Stopwatch.NEVER) {
            before = deadline;
            deadline = afterDisorder(at, cause, node, deadline);
            deadline = afterOutages(at, cause, node, viewer, deadline);
            if (viewer != ALL) {
                deadline = afterLossIsAnnounced(deadline);
            }
        }
        return deadline;
    }

    /**
     * A fault undid the departure or changed its time. The sweep repairs that; for a dead server, another server does.
     */
    private long afterDisorder(long at, Cause cause, int node, long deadline) {
        long postponed = deadline;
        for (Window window : windows) {
            if (window.kind.leavesDisorder() && window.undoesSince <= deadline && window.recoveredAt() >= at) {
                long allowed = cause.allowed(settings).toNanos();
                if (nodeEnded(node, at, window.recoveredAt())) {
                    allowed = Math.max(allowed, Cause.KILL.allowed(settings).toNanos());
                }
                postponed = Math.max(postponed, window.after(allowed));
                postponed = afterInterruptedRepair(window, node, postponed);
            }
        }
        return postponed;
    }

    /** A server repairs disorder in a sweep, and sweeps others only after a whole lease without trouble. */
    private long afterInterruptedRepair(Window disorder, int node, long deadline) {
        long repair =
                settings.lease().plus(settings.sweep()).plus(Cause.ANNOUNCING).toNanos();
        long postponed = deadline;
        for (Window window : windows) {
            boolean interrupts = window.node == ALL
                    ? window.postpones() && !window.kind.setsClock()
                    : window.node == node && window.kind.interruptsLease();
            if (window != disorder && interrupts && window.overlaps(disorder.start, postponed)) {
                postponed = Math.max(postponed, window.after(repair));
            }
        }
        return postponed;
    }

    private boolean nodeEnded(int node, long from, long to) {
        for (Window window : windows) {
            if (window.kind.endsNode() && window.node == node && window.start >= from && window.start <= to) {
                return true;
            }
        }
        return false;
    }

    /**
     * If Redis lost a room, it cannot name its users. Clients learn that others are out when they hear that they are
     * out themselves.
     */
    private long afterLossIsAnnounced(long deadline) {
        long postponed = deadline;
        for (Window window : windows) {
            if (window.kind.erasesRooms() && window.start <= deadline) {
                postponed = Math.max(
                        postponed, window.after(settings.lossAnnounced().toNanos()));
            }
        }
        return postponed;
    }

    /** Applies the faults in the order in which they began. */
    private long afterOutages(long at, Cause cause, int node, int viewer, long deadline) {
        long allowed = cause.allowed(settings).toNanos();
        long doneBy = at + cause.noticed(settings).toNanos() + UNDER_WAY;
        boolean dead = false;
        long postponed = deadline;
        for (Window window : windows) {
            if (!window.overlaps(at, deadline) || !window.postpones()) {
                continue;
            }
            if (window.kind == FaultKind.MESSAGE_LOST) {
                if (viewer != ALL && window.concerns(viewer)) {
                    postponed = Math.max(postponed, window.after(Cause.ANNOUNCING.toNanos()));
                }
                continue;
            }
            // Faults of the server that replaces a dead one grant no more time.
            boolean underWay = dead ? window.node == ALL : window.concerns(node) && window.start <= doneBy;
            if (window.concernsTrunks()) {
                // A dead server may hold users who depart while a trunk moves, until its lease ends.
                allowed = Math.max(allowed, Cause.KILL.allowed(settings).toNanos());
                doneBy = Math.max(doneBy, window.after(UNDER_WAY));
                postponed = Math.max(postponed, window.after(allowed));
            } else if (window.kind == FaultKind.NODE_KILL) {
                if (underWay) {
                    dead = true;
                    long killed = Cause.KILL.allowed(settings).toNanos();
                    allowed = Math.max(allowed, killed);
                    postponed = Math.max(postponed, window.start + killed);
                    postponed = Math.max(postponed, removedByAnother(window.start, node));
                }
            } else if (underWay) {
                if (window.kind == FaultKind.NODE_TERM ? cause != Cause.TERMINATE : cause == Cause.TERMINATE) {
                    // The server may have ended before it could tell Redis: then its lease decides.
                    allowed = Math.max(allowed, Cause.KILL.allowed(settings).toNanos());
                }
                // The whole allowed time starts again.
                doneBy = Math.max(doneBy, window.after(UNDER_WAY));
                postponed = Math.max(postponed, window.after(allowed));
            } else if ((!dead && window.concerns(node)) || window.concerns(viewer)) {
                // Redis knows already; only the announcement is late.
                postponed = Math.max(postponed, window.after(Cause.ANNOUNCING.toNanos()));
            }
        }
        return postponed;
    }

    /**
     * By when another server removes the users of a dead one. It may do so only after a whole lease without trouble. If
     * there is no other, the restarted one does it.
     */
    private long removedByAnother(long at, int dead) {
        long lease = settings.lease().toNanos();
        long remove = Cause.AFTER_LEASE.toNanos();
        long first = Stopwatch.NEVER;
        for (int node = 0; node < nodes; node++) {
            long ready = at + lease;
            for (Window window : windows) {
                if (window.node == node && window.kind.interruptsLease() && window.start <= ready + remove) {
                    ready = window.settledAt() == Stopwatch.NEVER
                            ? Stopwatch.NEVER - remove
                            : Math.max(ready, window.settledAt() + lease);
                }
            }
            if (node != dead || nodes == 1) {
                first = Math.min(first, ready + remove);
            }
        }
        return first;
    }

    /** Whether a fault between two times may have lost what a server wrote to Redis, or changed when it expires. */
    boolean mayHaveLost(long from, long to, int node) {
        return windows.stream()
                .anyMatch(window -> (window.losesPresences || window.kind.setsClock())
                        && window.concerns(node)
                        && window.undoesSince <= to
                        && window.recoveredAt() >= from);
    }

    /** When Redis last recovered from a fault between two times; {@code from} if there was none. */
    long lastRecoveryOfRedis(long from, long to) {
        long last = from;
        for (Window window : windows) {
            if (window.node == ALL && window.undoesSince <= to && window.recoveredAt() >= from) {
                // A clock jump may let an entry live an hour longer; no server has to repair it earlier.
                long recovered = window.kind.setsClock() ? Stopwatch.NEVER : window.recoveredAt();
                // Half of it leaves room for adding a duration.
                last = Math.max(last, Math.min(recovered, Stopwatch.NEVER / 2));
            }
        }
        return last;
    }
}
