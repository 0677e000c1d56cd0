package io.hadir.socketio.engine;

import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Pings every session once per interval and checks for its pong one timeout later, without a timer per session.
 *
 * <p>Time is divided into ticks. A session belongs to the slice of the tick in which it was opened. Each tick pings one
 * slice and checks the slice that was pinged a timeout ago. Ticks are counted, not read from a clock: if the process
 * stalls, no time passes here, so no client seems silent because the server was.
 */
final class PingWheel {
    private static final long MIN_TICK_NANOS = Duration.ofMillis(10).toNanos();
    private static final long MAX_TICK_NANOS = Duration.ofMillis(250).toNanos();
    /** A busy server sends pings and reads pongs late. This much delay does not count against the client. */
    private static final long LENIENCY_NANOS = Duration.ofMillis(200).toNanos();
    /** Ticks that are less late are caught up. Beyond that the process stalled, and the lost time does not count. */
    private static final long MAX_LATE_NANOS = Duration.ofSeconds(1).toNanos();

    private final Slice[] slices;
    private final long tickNanos;
    private final long timeoutTicks;
    private final long patienceNanos;
    private final SessionBatch batch = new SessionBatch();
    private volatile long now;
    private long nextTickAt;

    PingWheel(Duration interval, Duration timeout, long nowNanos) {
        tickNanos = Math.max(MIN_TICK_NANOS, Math.min(MAX_TICK_NANOS, interval.toNanos() / 100));
        timeoutTicks = Math.max(1, timeout.toNanos() / tickNanos);
        patienceNanos = timeout.toNanos() + LENIENCY_NANOS;
        slices = new Slice[(int) Math.max(1, interval.toNanos() / tickNanos)];
        Arrays.setAll(slices, i -> new Slice());
        nextTickAt = nowNanos + tickNanos;
    }

    /** How long a client may take to answer a ping, by the clock. */
    long patienceNanos() {
        return patienceNanos;
    }

    void add(Session session) {
        session.wheelSlice = sliceOf(now);
        slices[session.wheelSlice].add(session);
    }

    void remove(Session session) {
        slices[session.wheelSlice].remove(session);
    }

    /** Runs the ticks that are due and returns the nanoseconds until the next one. For one thread only. */
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

    @SuppressWarnings("NonAtomicVolatileUpdate") // only one thread advances the wheel
    private void tick() {
        now++;
        for (Session session : slices[sliceOf(now - timeoutTicks)].copy()) {
            if (session.enqueuePongCheck()) {
                batch.add(session);
            }
        }
        for (Session session : slices[sliceOf(now)].copy()) {
            if (session.enqueuePing()) {
                batch.add(session);
            }
        }
        batch.run();
    }

    private int sliceOf(long tick) {
        return (int) Math.floorMod(tick, (long) slices.length);
    }

    /** A set of sessions. Each session knows its own index, so it costs just one reference here. */
    private static final class Slice {
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
