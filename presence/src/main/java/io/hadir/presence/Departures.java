package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Departures that Redis has not heard of yet: carried out in order as soon as it answers again. One entry for a socket
 * and a seat, the latest, and a limited number in all. Lives on the loop.
 */
public final class Departures {
    public static final int MOST = 100_000;

    private static final int AT_ONCE = 64;
    private static final Duration RETRY = Duration.ofMillis(500);

    private final Map<Key, Departure> waiting = new LinkedHashMap<>();
    /** How many wait of each socket. */
    private final Map<SocketId, Integer> bySocket = new HashMap<>();

    private final PresenceStore store;
    private final Loop loop;
    private final int most;
    private boolean draining;

    public enum Kind {
        LEAVE,
        /** The server puts the socket out. */
        KICK,
        /** A join that was told to have failed must have failed. */
        UNDO,
        LEAVE_EVERYWHERE,
        DISCONNECT
    }

    /**
     * What a socket did that Redis has to hear.
     *
     * @param fenced whether a join of this turn may still be under way
     */
    public record Departure(Kind kind, Seat seat, Holder holder, boolean fenced) {
        Key key() {
            return new Key(holder.socket(), seat);
        }
    }

    public record Key(SocketId socket, Seat seat) {}

    /**
     * Where departures wait.
     *
     * @param most so many at a time
     */
    public Departures(PresenceStore store, Loop loop, int most) {
        this.store = store;
        this.loop = loop;
        this.most = most;
    }

    /**
     * Has a departure carried out as soon as Redis answers; false if too many wait already. Then the sweep finds the socket
     * on a seat that it does not hold; only leaving everywhere is nothing that a sweep can know of.
     */
    public boolean add(Departure departure) {
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

    public boolean isFull() {
        return waiting.size() >= most;
    }

    /** How many wait of a socket. */
    public int of(SocketId socket) {
        return bySocket.getOrDefault(socket, 0);
    }

    /** The socket has come back to the seat with this turn, so older departures do not matter. */
    public void forget(Seat seat, Holder holder) {
        Key key = new Key(holder.socket(), seat);
        Departure before = waiting.get(key);
        if (before != null && before.holder().turn() < holder.turn()) {
            remove(key);
        }
    }

    public boolean isWaiting(SocketId socket, Seat seat) {
        return waiting.containsKey(new Key(socket, seat));
    }

    public int size() {
        return waiting.size();
    }

    /** Takes one departure to the store; the stage fails if there is no answer. */
    public CompletionStage<Void> carryOut(Departure departure) {
        Seat seat = departure.seat();
        Holder holder = departure.holder();
        return switch (departure.kind()) {
            case LEAVE -> store.leave(seat, holder, LeaveReason.LEFT, departure.fenced());
            case KICK -> store.leave(seat, holder, LeaveReason.KICKED, departure.fenced());
            case UNDO -> store.undo(seat, holder);
            case LEAVE_EVERYWHERE -> store.remove(seat, LeaveReason.LEFT, null).thenAccept(removed -> {});
            case DISCONNECT -> store.disconnect(seat, holder, departure.fenced());
        };
    }

    /** What failed waits behind the others: it may lie in a part of the store that is away for long. */
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
