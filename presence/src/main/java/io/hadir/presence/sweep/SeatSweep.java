package io.hadir.presence.sweep;

import io.hadir.presence.LocalNode;
import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Compares presences with live sockets, and removes those without one: the sockets of dead nodes at once, those of
 * others by asking their nodes. Also keeps the other nodes' claims, which spare a scan most of the comparison. Lives on
 * the loop.
 */
final class SeatSweep {
    private static final int SEATS_AT_ONCE = 50;

    private final LocalNode node;
    private final SeatStore seats;
    private final Nodes nodes;
    private final LeaseKeeper lease;
    private final Loop loop;
    private Claims claims = new Claims(0);
    private long removed;

    SeatSweep(LocalNode node, SeatStore seats, Nodes nodes, LeaseKeeper lease, Loop loop) {
        this.node = node;
        this.seats = seats;
        this.nodes = nodes;
        this.lease = lease;
        this.loop = loop;
        nodes.listen(sightings -> loop.execute(() -> node.answer(sightings)));
        nodes.listenForClaims(
                seed -> CompletableFuture.supplyAsync(
                        () -> node.kept().stream()
                                .mapToLong(seat -> Claims.hash(seed, seat))
                                .toArray(),
                        loop),
                (claimant, kept) -> loop.execute(() -> claims.add(claimant, kept)));
    }

    /** Asks the other nodes which seats they take care of. Their answers come while a scan goes on. */
    void askForClaims() {
        claims = new Claims(ThreadLocalRandom.current().nextLong());
        nodes.askForClaims(claims.seed());
    }

    void forgetClaims() {
        claims = new Claims(0);
    }

    /** Whether this node or another takes care of the seat. */
    boolean isKept(Seat seat) {
        return claims.has(seat) || node.keeps(seat);
    }

    /** How many users it has removed so far. */
    long removed() {
        return removed;
    }

    /**
     * Compares presences with live sockets; false if this node may not judge others now. Reads the leases after the
     * presences, so a node that has just started has its lease.
     */
    CompletionStage<Boolean> sweep(List<Sighting> sightings) {
        Set<String> named = claims.nodes();
        if (sightings.isEmpty() && named.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        for (Sighting sighting : sightings) {
            sighting.sockets().forEach(socket -> named.add(socket.node()));
        }
        return nodes.alive(named)
                .thenComposeAsync(
                        alive -> {
                            if (alive.isEmpty()) {
                                lease.doubt();
                            } else {
                                named.stream()
                                        .filter(name -> !alive.get().contains(name))
                                        .forEach(claims::forget);
                            }
                            return alive.isPresent() && lease.mayJudge()
                                    ? sweepOrAsk(sightings, alive.get())
                                    : CompletableFuture.completedFuture(false);
                        },
                        loop);
    }

    /** Sweeps the sockets of dead nodes, and asks the other nodes about theirs. */
    private CompletionStage<Boolean> sweepOrAsk(List<Sighting> sightings, Set<String> alive) {
        Map<String, Set<Sighting>> questions = new HashMap<>();
        Map<Seat, Set<SocketId>> dead = new LinkedHashMap<>();
        for (Sighting sighting : sightings) {
            for (SocketId socket : sighting.sockets()) {
                if (alive.contains(socket.node())) {
                    questions
                            .computeIfAbsent(socket.node(), owner -> new LinkedHashSet<>())
                            .add(sighting);
                } else {
                    dead.computeIfAbsent(sighting.seat(), seat -> new HashSet<>())
                            .add(socket);
                }
            }
        }
        questions.forEach((owner, asked) -> {
            if (owner.equals(nodes.self())) {
                node.answer(asked);
            } else {
                nodes.ask(owner, List.copyOf(asked));
            }
        });
        return Stages.inBatches(
                        List.copyOf(dead.entrySet()), SEATS_AT_ONCE, seat -> sweep(seat.getKey(), seat.getValue()))
                .thenApply(done -> true);
    }

    private CompletionStage<Void> sweep(Seat seat, Set<SocketId> dead) {
        boolean foreign = dead.stream().allMatch(socket -> socket.node().isEmpty());
        RemovalReason reason = foreign ? RemovalReason.PRESENCE_LOST : RemovalReason.SERVER_GONE;
        return seats.sweep(seat, reason, dead).thenAcceptAsync(out -> removed += out ? 1 : 0, loop);
    }
}
