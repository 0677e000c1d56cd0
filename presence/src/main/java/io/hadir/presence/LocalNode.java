package io.hadir.presence;

import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/** This node, as others see it: answers for its own sockets to the sweep, to audits and to metrics. */
public final class LocalNode implements Peer {
    private static final int DIRECTORY_AT_ONCE = 500;
    private static final int ROOMS_AT_ONCE = 20;
    private static final int USERS_AT_ONCE = 200;
    private static final int MOST_HELD = 1000;

    private final String self;
    private final Stores stores;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final Departures departures;
    private final RoomChecks checks;
    private final Loop loop;
    private final BiConsumer<LocalSocket, Seat> adopt;

    LocalNode(
            String self,
            Stores stores,
            LocalRooms rooms,
            Memberships memberships,
            Departures departures,
            RoomChecks checks,
            Loop loop,
            BiConsumer<LocalSocket, Seat> adopt) {
        this.self = self;
        this.stores = stores;
        this.rooms = rooms;
        this.memberships = memberships;
        this.departures = departures;
        this.checks = checks;
        this.loop = loop;
        this.adopt = adopt;
    }

    /**
     * Compares all rooms of this node with Redis and adds them to the directory; false if Redis did not answer for some of
     * them. One room's failure does not stop the others. On the loop.
     */
    public CompletionStage<Boolean> checkRooms() {
        List<CompletableFuture<Boolean>> steps = new ArrayList<>();
        for (LocalRoom room : rooms.all()) {
            steps.add(succeeds(checks.check(room)));
        }
        List<RoomId> ids = rooms.all().stream().map(room -> room.id).toList();
        return Stages.all(steps).thenCompose(checked -> {
            steps.add(succeeds(addToDirectory(ids)));
            return Stages.all(steps).thenApply(done -> steps.stream().allMatch(CompletableFuture::join));
        });
    }

    private static CompletableFuture<Boolean> succeeds(CompletionStage<Void> step) {
        return step.handle((done, failed) -> failed == null).toCompletableFuture();
    }

    private CompletionStage<Void> addToDirectory(List<RoomId> ids) {
        return Stages.inSlices(ids, DIRECTORY_AT_ONCE, stores.directory()::add);
    }

    /**
     * Takes sockets that do not exist off their seats, and completes presences whose sockets do exist. On the loop.
     *
     * @param sightings presences that name sockets of this node
     */
    public void answer(List<Sighting> sightings) {
        Set<RoomId> incomplete = new HashSet<>();
        for (Sighting sighting : sightings) {
            for (SocketId socket : sighting.sockets()) {
                if (socket.node().equals(self)) {
                    answer(sighting, socket, incomplete);
                }
            }
        }
        for (RoomId id : incomplete) {
            LocalRoom room = rooms.get(id);
            if (room != null) {
                checks.check(room);
            }
        }
    }

    private void answer(Sighting sighting, SocketId id, Set<RoomId> incomplete) {
        Seat seat = sighting.seat();
        LocalSocket socket = memberships.socket(id);
        if (departures.isWaiting(id, seat) || (socket != null && socket.queue.isBusy())) {
            // The step under way will put it right.
            return;
        }
        if (socket == null) {
            stores.seats().sweep(seat, LeaveReason.DISCONNECTED, Set.of(id));
        } else if (socket.memberships.containsKey(seat)) {
            if (!sighting.complete()) {
                incomplete.add(seat.room());
            }
        } else if (sighting.held() || !sighting.named().equals(id) || socket.knowsAbsence(seat.room())) {
            // A Hadir put the socket there, and it has left since, or its join was undone.
            stores.seats().sweep(seat, LeaveReason.LEFT, Set.of(id));
        } else {
            adopt.accept(socket, seat);
        }
    }

    @Override
    public CompletionStage<Set<Held>> unknown(List<Sighting> sightings) {
        return CompletableFuture.supplyAsync(
                () -> {
                    Set<Held> unknown = new HashSet<>();
                    for (Sighting sighting : sightings) {
                        for (SocketId socket : sighting.sockets()) {
                            if (socket.node().equals(self) && !isKnown(sighting.seat(), socket)) {
                                unknown.add(new Held(sighting.seat(), socket));
                            }
                        }
                    }
                    return unknown;
                },
                loop);
    }

    private boolean isKnown(Seat seat, SocketId id) {
        LocalSocket socket = memberships.socket(id);
        return departures.isWaiting(id, seat)
                || (socket != null && (socket.queue.isBusy() || socket.memberships.containsKey(seat)));
    }

    @Override
    public CompletionStage<Set<Held>> lost() {
        Set<Held> lost = new HashSet<>();
        return CompletableFuture.supplyAsync(rooms::all, loop)
                .thenComposeAsync(all -> Stages.inBatches(all, ROOMS_AT_ONCE, room -> addLost(room, lost)), loop)
                .thenApply(done -> lost);
    }

    private CompletionStage<Void> addLost(LocalRoom room, Set<Held> lost) {
        List<Membership> joined = room.all().stream()
                .filter(membership -> membership.isAccepted() && !membership.socket.queue.isBusy())
                .toList();
        List<UserId> users = joined.stream()
                .map(membership -> membership.seat.user())
                .distinct()
                .toList();
        return Stages.inSlices(
                users,
                USERS_AT_ONCE,
                slice -> stores.rooms()
                        .absent(room.id, slice)
                        .thenAcceptAsync(
                                absent -> lost.addAll(joined.stream()
                                        .filter(membership -> absent.contains(membership.seat.user()))
                                        .map(membership -> new Held(membership.seat, membership.socket.id))
                                        .limit(Math.max(0, MOST_HELD - lost.size()))
                                        .collect(Collectors.toSet())),
                                loop));
    }

    /** What this node has to do, for metrics. */
    public CompletionStage<Load> load() {
        return CompletableFuture.supplyAsync(
                () -> {
                    List<LocalRoom> all = rooms.all();
                    return new Load(
                            all.size(),
                            all.stream().mapToInt(LocalRoom::users).sum(),
                            all.stream().mapToInt(LocalRoom::sockets).sum(),
                            departures.size());
                },
                loop);
    }

    /**
     * The load of this node. Never an answer to who is present.
     *
     * @param rooms rooms in which it has sockets
     * @param participants users of its own sockets, counted once in each room
     * @param memberships sockets, counted once in each room
     * @param departures departures that did not reach Redis yet
     */
    public record Load(int rooms, int participants, int memberships, int departures) {
        public static final Load NONE = new Load(0, 0, 0, 0);
    }
}
