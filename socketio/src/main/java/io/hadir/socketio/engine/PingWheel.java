package io.hadir.socketio.engine;

import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Pings every session once per interval and looks for its answer one timeout later, without a timer per session.
 *
 * <p>Time is cut into ticks. A session belongs to the slot of the tick in which it was opened; each tick pings one slot
 * and checks the one that was pinged a timeout ago. Ticks are counted, not read off a clock: while the process stands
 * still no time passes here, so nobody is taken for silent because the server was.
 */
final class PingWheel {
    private static final long MIN_TICK_NANOS = Duration.ofMillis(10).toNanos();
    private static final long MAX_TICK_NANOS = Duration.ofMillis(250).toNanos();
    /** On a busy machine a ping goes out late and its answer is read late; so much of it is not the client's fault. */
    private static final long FORGIVEN_NANOS = Duration.ofMillis(200).toNanos();
    /** Ticks that are late by less are made up for; beyond, the process stood still and the lost time is forgotten. */
    private static final long MAX_LATE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Slot[] slots;
    private final long tickNanos;
    private final long timeoutTicks;
    private final long patienceNanos;
    private final SessionBatch batch = new SessionBatch();
    private volatile long now;
    private long nextTickAt;

    PingWheel(Duration interval, Duration timeout, long nowNanos) {
        tickNanos = Math.max(MIN_TICK_NANOS, Math.min(MAX_TICK_NANOS, interval.toNanos() / 100));
        timeoutTicks = Math.max(1, timeout.toNanos() / tickNanos);
        patienceNanos = timeout.toNanos() + FORGIVEN_NANOS;
        slots = new Slot[(int) Math.max(1, interval.toNanos() / tickNanos)];
        Arrays.setAll(slots, i -> new Slot());
        nextTickAt = nowNanos + tickNanos;
    }

    /** What must have passed by the clock since its ping before a client counts as silent. */
    long patienceNanos() {
        return patienceNanos;
    }

    void add(Session session) {
        session.wheelSlot = slotOf(now);
        slots[session.wheelSlot].add(session);
    }

    void remove(Session session) {
        slots[session.wheelSlot].remove(session);
    }

    /** Does the ticks that are due, and returns in how many nanoseconds the next one is. Called by one thread. */
    long advance(long nowNanos) {
        while (nowNanos >= nextTickAt) {
            if (nowNanos - nextTickAt > MAX_LATE_NANOS) {
                nextTickAt = nowNanos;
            }
            nextTickAt += tickNanos;
            tick();
        }
        return nextTickAt - nowNanos;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // written by the one thread that advances
    private void tick() {
        now++;
        for (Session session : slots[slotOf(now - timeoutTicks)].copy()) {
            if (session.enqueuePongCheck()) {
                batch.add(session);
            }
        }
        for (Session session : slots[slotOf(now)].copy()) {
            if (session.enqueuePing()) {
                batch.add(session);
            }
        }
        batch.run();
    }

    private int slotOf(long tick) {
        return (int) Math.floorMod(tick, (long) slots.length);
    }

    /** A set of sessions that know their own place in it, so that a session costs one reference here. */
    private static final class Slot {
        private static final Session[] NONE = {};

        private @Nullable Session[] members = NONE;
        private int size;

        synchronized void add(Session session) {
            if (size == members.length) {
                members = Arrays.copyOf(members, Math.max(4, size + (size >> 1)));
            }
            session.wheelIndex = size;
            members[size++] = session;
        }

        synchronized void remove(Session session) {
            if (session.wheelIndex < 0) {
                return;
            }
            Session last = members[--size];
            members[size] = null;
            if (last != null && last != session) {
                members[session.wheelIndex] = last;
                last.wheelIndex = session.wheelIndex;
            }
            session.wheelIndex = -1;
            if (size < members.length / 4) {
                members = Arrays.copyOf(members, size * 2);
            }
        }

        synchronized Session[] copy() {
            return size == 0 ? NONE : Arrays.copyOf(members, size, Session[].class);
        }
    }
}
