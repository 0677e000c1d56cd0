package io.hadir.presence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Departures that Redis has not heard of yet: carried out in order as soon as it answers again. One entry for a socket
 * and a seat, the latest. Lives on the loop.
 */
final class Departures {
    /** Of these at most are kept for sockets that are gone; what is dropped, the sweep finds. */
    private static final int MOST = 100_000;

    private static final int AT_ONCE = 64;
    private static final Duration RETRY = Duration.ofMillis(500);

    private final Map<Key, Departure> waiting = new LinkedHashMap<>();
    private final PresenceStore store;
    private final Loop loop;
    private boolean draining;

    enum Kind {
        LEAVE,
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
    record Departure(Kind kind, Seat seat, Holder holder, boolean fenced) {
        Key key() {
            return new Key(holder.socket(), seat);
        }
    }

    record Key(SocketId socket, Seat seat) {}

    Departures(PresenceStore store, Loop loop) {
        this.store = store;
        this.loop = loop;
    }

    void add(Departure departure) {
        boolean gone = departure.kind() == Kind.DISCONNECT;
        if (gone && waiting.size() >= MOST) {
            return;
        }
        Departure before = waiting.get(departure.key());
        if (before != null && before.holder().turn() > departure.holder().turn()) {
            return;
        }
        waiting.remove(departure.key());
        waiting.put(departure.key(), departure);
        drainSoon();
    }

    /** The socket has come back to the seat with this turn, so older departures do not matter. */
    void forget(Seat seat, Holder holder) {
        Key key = new Key(holder.socket(), seat);
        Departure before = waiting.get(key);
        if (before != null && before.holder().turn() < holder.turn()) {
            waiting.remove(key);
        }
    }

    boolean isWaiting(SocketId socket, Seat seat) {
        return waiting.containsKey(new Key(socket, seat));
    }

    int size() {
        return waiting.size();
    }

    /** Takes one departure to the store; the stage fails if there is no answer. */
    CompletionStage<Void> carryOut(Departure departure) {
        Seat seat = departure.seat();
        Holder holder = departure.holder();
        return switch (departure.kind()) {
            case LEAVE -> store.leave(seat, holder, LeaveReason.LEFT, departure.fenced());
            case UNDO -> store.undo(seat, holder);
            case LEAVE_EVERYWHERE -> store.remove(seat, LeaveReason.LEFT, null).thenAccept(removed -> {});
            case DISCONNECT -> store.disconnect(seat, holder, departure.fenced());
        };
    }

    /** What failed waits behind the others: it may lie in a part of the store that is away for long. */
    private CompletionStage<Void> conclude(Departure departure, @Nullable Throwable failed) {
        boolean still = waiting.remove(departure.key(), departure);
        if (failed == null) {
            return CompletableFuture.completedFuture(null);
        }
        if (still) {
            waiting.put(departure.key(), departure);
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
