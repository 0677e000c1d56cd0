package io.hadir.presence.inspect;

import io.hadir.presence.RoomStore;
import io.hadir.presence.Stores;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.Pace;
import io.hadir.presence.sweep.PresenceScan;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Scans everything in Redis and asks all nodes, in bounded steps, and inspects whatever looks suspicious. */
final class FullAudit {
    private static final int AT_ONCE = 200;

    private final Stores stores;
    private final PresenceScan scan;
    private final Nodes nodes;
    private final PeerAnswers answers;
    private final SeatAudit seatAudit;
    private final Consumer<Set<Discrepancy>> found;
    private final Pace unlimited;
    private volatile long inspected;

    FullAudit(
            Stores stores,
            PresenceScan scan,
            Nodes nodes,
            PeerAnswers answers,
            SeatAudit seatAudit,
            Consumer<Set<Discrepancy>> found,
            Loop loop) {
        this.stores = stores;
        this.scan = scan;
        this.nodes = nodes;
        this.answers = answers;
        this.seatAudit = seatAudit;
        this.found = found;
        this.unlimited = new Pace(loop, 1);
    }

    /** The number of presences inspected so far. */
    long inspected() {
        return inspected;
    }

    CompletionStage<Void> run() {
        return scan.each(
                        unlimited,
                        seat -> true,
                        true,
                        found -> scan.read(found.known())
                                .thenCompose(this::presences)
                                .thenCompose(done -> seatAudit.atRooms(found.unsound()))
                                .thenApply(this::report)
                                .thenCompose(
                                        done -> hints(List.copyOf(found.hints().keySet()))))
                .thenCompose(done -> scan.eachOrphan(unlimited, this::seats))
                .thenCompose(done -> scan.eachLastingOnline(
                        unlimited, users -> seatAudit.atUsers(users).thenApply(this::report)))
                .thenCompose(done -> rooms(null))
                .thenCompose(done -> nodes.withLease())
                .thenCompose(alive -> Stages.inBatches(alive, 1, node -> lost(node.id())));
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // steps run one after the other
    private CompletionStage<Boolean> presences(List<Sighting> sightings) {
        inspected += sightings.size();
        Set<String> named = new HashSet<>();
        sightings.forEach(sighting -> sighting.sockets().forEach(socket -> named.add(socket.node())));
        List<Seat> seats = sightings.stream().map(Sighting::seat).toList();
        List<RoomId> rooms = seats.stream().map(Seat::room).distinct().toList();
        return nodes.alive(named).thenCompose(answer -> {
            Set<String> alive = answer.orElse(named);
            List<Seat> suspects = new ArrayList<>();
            for (Sighting sighting : sightings) {
                boolean held = sighting.sockets().stream().allMatch(socket -> alive.contains(socket.node()));
                if (!held || !sighting.complete()) {
                    suspects.add(sighting.seat());
                }
            }
            return answers.unknown(sightings, alive)
                    .thenAccept(unknown -> unknown.forEach(held -> suspects.add(held.seat())))
                    .thenCompose(done -> scan.withoutTtl(seats))
                    .thenAccept(suspects::addAll)
                    .thenCompose(done -> seats(suspects))
                    .thenCompose(done -> stores.directory().missing(rooms))
                    .thenCompose(missing -> seatAudit.atRooms(List.copyOf(missing)))
                    .thenApply(this::report);
        });
    }

    private CompletionStage<Boolean> hints(List<RoomId> rooms) {
        return scan.unsound(rooms)
                .thenCompose(unsound -> soundHints(
                        rooms.stream().filter(room -> !unsound.contains(room)).toList()));
    }

    private CompletionStage<Boolean> soundHints(List<RoomId> rooms) {
        Map<RoomId, CompletionStage<RoomStore.Headcount>> counts =
                stores.rooms().count(rooms);
        return Stages.all(counts.values()).thenCompose(done -> {
            List<Seat> dead = new ArrayList<>();
            counts.forEach((room, count) -> count.toCompletableFuture().join().dead().stream()
                    .map(user -> new Seat(room, user))
                    .forEach(dead::add));
            return seats(dead);
        });
    }

    private CompletionStage<Boolean> seats(List<Seat> suspects) {
        return seats(suspects.stream().distinct().toList(), 0);
    }

    private CompletionStage<Boolean> seats(List<Seat> suspects, int from) {
        if (from >= suspects.size()) {
            return CompletableFuture.completedFuture(true);
        }
        int to = Math.min(suspects.size(), from + AT_ONCE);
        Map<Seat, Set<SocketId>> part = new HashMap<>();
        suspects.subList(from, to).forEach(seat -> part.put(seat, Set.of()));
        return seatAudit.atSeats(part).thenApply(this::report).thenCompose(done -> seats(suspects, to));
    }

    private CompletionStage<Void> rooms(@Nullable RoomId after) {
        return stores.directory()
                .after(after, AT_ONCE)
                .thenCompose(page -> seatAudit
                        .atRooms(page)
                        .thenApply(this::report)
                        .thenCompose(done -> page.size() < AT_ONCE
                                ? CompletableFuture.completedFuture(null)
                                : rooms(page.get(page.size() - 1))));
    }

    private CompletionStage<Void> lost(String node) {
        return answers.lost(node).thenCompose(lost -> {
            Map<Seat, Set<SocketId>> claimed = new HashMap<>();
            lost.forEach(held -> claimed.computeIfAbsent(held.seat(), seat -> new HashSet<>())
                    .add(held.socket()));
            return seatAudit.atSeats(claimed).thenAccept(this::report);
        });
    }

    private boolean report(Set<Discrepancy> more) {
        found.accept(more);
        return true;
    }
}
