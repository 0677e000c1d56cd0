package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
    private final RoomRecord record;
    private final Memberships memberships;
    private final Departures departures;
    private final RoomChecks checks;
    private final Loop loop;
    private final UserListener users;

    LocalNode(
            String self,
            Stores stores,
            LocalRooms rooms,
            RoomRecord record,
            Memberships memberships,
            Departures departures,
            RoomChecks checks,
            Loop loop,
            UserListener users) {
        this.self = self;
        this.stores = stores;
        this.rooms = rooms;
        this.record = record;
        this.memberships = memberships;
        this.departures = departures;
        this.checks = checks;
        this.loop = loop;
        this.users = users;
    }

    /**
     * Compares all rooms of this node with Redis and adds them to the directory. One room's failure does not stop the
     * others. On the loop.
     */
    public CompletionStage<OwnRooms> checkRooms() {
        List<LocalRoom> all = rooms.all();
        Set<Sighting> shared = new LinkedHashSet<>();
        return checks.compare(all, shared::addAll)
                .thenCompose(compared -> addToDirectory(all)
                        .handle((done, failed) -> new OwnRooms(compared && failed == null, List.copyOf(shared))));
    }

    private CompletionStage<Void> addToDirectory(List<LocalRoom> all) {
        return Stages.inSlices(
                all.stream().filter(room -> room.users() > 0).toList(),
                DIRECTORY_AT_ONCE,
                some -> stores.directory()
                        .add(some.stream().map(room -> room.id).toList()));
    }

    /** Whether this node takes care of the seat: a socket of its own is on it for certain. On the loop. */
    public boolean keeps(Seat seat) {
        LocalRoom room = rooms.get(seat.room());
        return room != null && room.has(seat.user());
    }

    /** All seats of which this node takes care. On the loop. */
    public List<Seat> kept() {
        List<Seat> kept = new ArrayList<>();
        rooms.all()
                .forEach(room -> room.all().stream()
                        .filter(Membership::isAccepted)
                        .forEach(membership -> kept.add(membership.seat)));
        return kept;
    }

    /**
     * What a node learns about its own rooms.
     *
     * @param answered whether Redis answered for all of them
     * @param shared the seats that several sockets hold, of this node or others, each once
     */
    public record OwnRooms(boolean answered, List<Sighting> shared) {}

    /**
     * Keeps the record of this node's rooms, and repairs it. On the loop.
     *
     * @param doubt whether any part may be missing
     */
    public CompletionStage<Void> renewRecord(boolean doubt) {
        return record.renew(doubt);
    }

    /**
     * Takes sockets that do not exist off their seats, and completes presences whose sockets do exist. On the loop.
     *
     * @param sightings presences that name sockets of this node
     */
    public void answer(Collection<Sighting> sightings) {
        Set<RoomId> incomplete = new HashSet<>();
        List<CompletionStage<Void>> answered = new ArrayList<>();
        for (Sighting sighting : sightings) {
            for (SocketId socket : sighting.sockets()) {
                if (socket.node().equals(self)) {
                    answered.add(answer(sighting, socket, incomplete));
                }
            }
        }
        Stages.all(answered)
                .whenCompleteAsync(
                        (done, failed) -> {
                            for (RoomId id : incomplete) {
                                LocalRoom room = rooms.get(id);
                                if (room != null) {
                                    checks.check(room);
                                }
                            }
                        },
                        loop);
    }

    private CompletionStage<Void> answer(Sighting sighting, SocketId id, Set<RoomId> incomplete) {
        LocalSocket socket = memberships.socket(id);
        if (socket == null) {
            return sweep(sighting.seat(), id, RemovalReason.DISCONNECTED);
        }
        // A step that is under way may change the seat, and the next one must not meet this answer half-way.
        return !socket.queue.isBusy() && socket.memberships.containsKey(sighting.seat())
                ? answer(sighting, socket, incomplete)
                : socket.queue.run(() -> answer(sighting, socket, incomplete));
    }

    private CompletionStage<Void> answer(Sighting sighting, LocalSocket socket, Set<RoomId> incomplete) {
        Seat seat = sighting.seat();
        if (memberships.socket(socket.id) == null) {
            return sweep(seat, socket.id, RemovalReason.DISCONNECTED);
        }
        if (socket.memberships.containsKey(seat)) {
            if (!sighting.complete()) {
                incomplete.add(seat.room());
            }
            return CompletableFuture.completedFuture(null);
        }
        if (!sighting.named().equals(socket.id) || socket.knowsAbsence(seat.room())) {
            return sweep(seat, socket.id, RemovalReason.LEFT);
        }
        // If a Hadir put the socket there, it has left since, or its join was undone.
        return Stages.on(loop, stores.seats().hasSocket(seat, socket.id))
                .thenCompose(has -> has ? sweep(seat, socket.id, RemovalReason.LEFT) : adopt(socket, seat));
    }

    /** Adopts a presence that another program wrote for a socket of this node, if it is still alive. */
    private CompletionStage<Void> adopt(LocalSocket socket, Seat seat) {
        Membership membership = new Membership(socket, seat);
        membership.adopt(loop.nanos());
        return Stages.on(loop, stores.rooms().check(seat.room(), List.of(membership.asClaim())))
                .thenCompose(checked -> {
                    if (!checked.alive().get(0)) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    memberships.enter(membership, checked.revision());
                    CompletionStage<Void> added = memberships.add(membership);
                    LocalRoom room = rooms.get(seat.room());
                    if (room != null) {
                        added.thenRun(() -> rooms.watchLapses(room, Optional.empty()));
                    }
                    users.entered(socket.id, seat);
                    return added;
                });
    }

    /** Takes a socket off a seat, unless a departure of the socket does so as soon as Redis answers. */
    private CompletionStage<Void> sweep(Seat seat, SocketId socket, RemovalReason reason) {
        return departures.isWaiting(socket, seat)
                ? CompletableFuture.completedFuture(null)
                : stores.seats().sweep(seat, reason, Set.of(socket)).thenAccept(removed -> {});
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
                            (int) all.stream().filter(room -> room.users() > 0).count(),
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
