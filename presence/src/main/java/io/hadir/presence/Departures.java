package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Carries out departures. Those that Redis has not confirmed are repeated in order as soon as it answers again. Keeps
 * the latest departure of each socket from each seat, and a limited number in all. Lives on the loop.
 */
final class Departures {
    static final int MOST = 100_000;

    private static final int AT_ONCE = 64;
    private static final Duration RETRY = Duration.ofMillis(500);
    private static final List<Boolean> EVERYWHERE_OR_NOT = List.of(false, true);

    private final Map<Key, Departure> waiting = new LinkedHashMap<>();
    /** The number of waiting departures of each socket. */
    private final Map<SocketId, Integer> bySocket = new HashMap<>();

    private final SeatStore store;
    private final Loop loop;
    private final int most;
    private boolean draining;

    enum Kind {
        LEAVE,
        /** The server removes the socket. */
        KICK,
        /** The client was told that its join failed, so it has no effect, even if Redis applies it later. */
        UNDO,
        LEAVE_EVERYWHERE,
        DISCONNECT,
        /** The socket was paused and may be asleep. */
        SUSPEND
    }

    /**
     * A socket's departure from a seat.
     *
     * @param fenced whether a join of this turn may still be under way
     */
    record Departure(Kind kind, Seat seat, Holder holder, boolean fenced) {
        Key key() {
            return new Key(holder.socket(), seat, kind == Kind.LEAVE_EVERYWHERE);
        }
    }

    /** A later departure takes the place of an earlier one, but not of one that concerns the user's other sockets. */
    record Key(SocketId socket, Seat seat, boolean everywhere) {}

    /** @param most how many may wait */
    Departures(SeatStore store, Loop loop, int most) {
        this.store = store;
        this.loop = loop;
        this.most = most;
    }

    /**
     * Carries out a departure as soon as Redis answers; false if too many wait already. A refused departure is left to
     * the sweep, which finds a presence without a live socket. But it cannot make up for a
     * {@link Kind#LEAVE_EVERYWHERE}.
     */
    boolean add(Departure departure) {
        Departure before = waiting.get(departure.key());
        if (before == null && isFull()) {
            return false;
        }
        if (before == null || before.holder().turn() <= departure.holder().turn()) {
            remove(departure.key());
            put(departure);
            drainSoon();
        }
        return true;
    }

    private void put(Departure departure) {
        waiting.put(departure.key(), departure);
        bySocket.merge(departure.holder().socket(), 1, Integer::sum);
    }

    private void remove(Key key) {
        if (waiting.remove(key) != null) {
            bySocket.computeIfPresent(key.socket(), (socket, count) -> count > 1 ? count - 1 : null);
        }
    }

    boolean isFull() {
        return waiting.size() >= most;
    }

    /** The number of waiting departures of a socket. */
    int of(SocketId socket) {
        return bySocket.getOrDefault(socket, 0);
    }

    /** Whether so many departures of the socket wait that it may not join another room, which would mean one more. */
    boolean areTooMany(LocalSocket socket, Seat another) {
        return socket.mayJoinNoMore(of(socket.id) - (isWaiting(socket.id, another) ? 1 : 0));
    }

    /** Forgets older departures, because the socket has joined again with this turn. */
    void forget(Seat seat, Holder holder) {
        for (boolean everywhere : EVERYWHERE_OR_NOT) {
            Key key = new Key(holder.socket(), seat, everywhere);
            Departure before = waiting.get(key);
            if (before != null && before.holder().turn() < holder.turn()) {
                remove(key);
            }
        }
    }

    boolean isWaiting(SocketId socket, Seat seat) {
        return waiting.containsKey(new Key(socket, seat, false)) || waiting.containsKey(new Key(socket, seat, true));
    }

    int size() {
        return waiting.size();
    }

    /** The rooms of all waiting departures. */
    Set<RoomId> rooms() {
        return waiting.keySet().stream().map(key -> key.seat().room()).collect(Collectors.toSet());
    }

    /** Carries out one departure; fails if the store does not answer. */
    CompletionStage<Void> carryOut(Departure departure) {
        Seat seat = departure.seat();
        Holder holder = departure.holder();
        return switch (departure.kind()) {
            case LEAVE -> store.leave(seat, holder, RemovalReason.LEFT, departure.fenced());
            case KICK -> store.leave(seat, holder, RemovalReason.KICKED, departure.fenced());
            case UNDO -> store.undo(seat, holder);
            case LEAVE_EVERYWHERE -> store.leaveEverywhere(seat, holder);
            case DISCONNECT -> store.disconnect(seat, holder, departure.fenced());
            case SUSPEND -> store.suspend(seat, holder, departure.fenced());
        };
    }

    /** A departure that failed goes to the end of the queue: its part of the store may be away for long. */
    private CompletionStage<Void> conclude(Departure departure, @Nullable Throwable failed) {
        boolean still = departure.equals(waiting.get(departure.key()));
        if (still) {
            remove(departure.key());
        }
        if (failed == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (still) {
            put(departure);
        }
        return CompletableFuture.failedFuture(failed);
    }

    private void drainSoon() {
        if (!draining) {
            draining = true;
            long jitter = ThreadLocalRandom.current().nextLong(RETRY.toNanos() / 2);
            loop.after(store.isAvailable() ? Duration.ZERO : RETRY.plusNanos(jitter), this::drain);
        }
    }

    private void drain() {
        List<CompletionStage<Void>> sent = new ArrayList<>();
        for (Departure departure : waiting.values().stream().limit(AT_ONCE).toList()) {
            sent.add(carryOut(departure)
                    .handleAsync((done, failed) -> conclude(departure, failed), loop)
                    .thenCompose(concluded -> concluded));
        }
        Stages.all(sent)
                .whenCompleteAsync(
                        (done, failed) -> {
                            draining = false;
                            if (failed != null) {
                                draining = true;
                                loop.after(RETRY, this::drain);
                            } else if (!waiting.isEmpty()) {
                                drainSoon();
                            }
                        },
                        loop);
    }
}
