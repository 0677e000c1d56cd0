package io.hadir.presence.inspect;

import io.hadir.presence.Peer.Held;
import io.hadir.presence.RoomStore;
import io.hadir.presence.Stores;
import io.hadir.presence.inspect.Discrepancy.Kind;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.sweep.Nodes;
import io.hadir.presence.sweep.PresenceScan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/** Inspects single seats, rooms and users, and reports their discrepancies. */
final class SeatAudit {
    private final Stores stores;
    private final PresenceScan scan;
    private final SeatRecords records;
    private final Nodes nodes;
    private final PeerAnswers answers;
    private final Duration grace;

    SeatAudit(Stores stores, PresenceScan scan, SeatRecords records, Nodes nodes, PeerAnswers answers, Duration grace) {
        this.stores = stores;
        this.scan = scan;
        this.records = records;
        this.nodes = nodes;
        this.answers = answers;
        this.grace = grace;
    }

    /**
     * The discrepancies at these seats.
     *
     * @param seats the seats, each with the sockets that hold it according to their nodes
     */
    CompletionStage<Set<Discrepancy>> atSeats(Map<Seat, Set<SocketId>> seats) {
        List<CompletableFuture<SeatRecord>> read = seats.keySet().stream()
                .map(seat -> records.read(seat).toCompletableFuture())
                .toList();
        return Stages.all(read).thenCompose(done -> {
            Map<SeatRecord, Set<SocketId>> held = new HashMap<>();
            read.forEach(record -> {
                SeatRecord found = record.join();
                held.put(found, sockets(found, seats.getOrDefault(found.seat(), Set.of())));
            });
            return judge(held);
        });
    }

    /** The sockets that should hold the seat: those that keep the presence alive, or else those that are claimed. */
    private Set<SocketId> sockets(SeatRecord record, Set<SocketId> claimed) {
        SeatRecord.LivePresence presence = record.presence();
        if (presence == null) {
            return claimed;
        }
        boolean ends = presence.expiresAt() != null
                && Duration.between(record.seenAt(), presence.expiresAt()).compareTo(grace) <= 0;
        Set<SocketId> sockets = new LinkedHashSet<>();
        if (!ends && !presence.held()) {
            sockets.addAll(presence.sockets());
            sockets.add(presence.named());
        }
        return sockets;
    }

    private CompletionStage<Set<Discrepancy>> judge(Map<SeatRecord, Set<SocketId>> held) {
        Set<String> named = new HashSet<>();
        held.values().forEach(sockets -> sockets.forEach(socket -> named.add(socket.node())));
        return nodes.alive(named).thenCompose(answer -> {
            // If this node's own lease is missing, the others' missing leases prove nothing.
            Set<String> alive = answer.orElse(named);
            List<Sighting> sightings = new ArrayList<>();
            held.forEach((record, sockets) -> {
                if (!sockets.isEmpty()) {
                    sightings.add(new Sighting(record.seat(), sockets.iterator().next(), sockets, true));
                }
            });
            return answers.unknown(sightings, alive).thenApply(unknown -> {
                Set<Discrepancy> found = new LinkedHashSet<>();
                held.forEach((record, sockets) -> {
                    addPresence(record, found);
                    sockets.forEach(socket -> addSocket(
                            record,
                            socket,
                            alive.contains(socket.node()),
                            unknown.contains(new Held(record.seat(), socket)),
                            found));
                });
                return found;
            });
        });
    }

    private static void addPresence(SeatRecord record, Set<Discrepancy> found) {
        SeatRecord.LivePresence presence = record.presence();
        String joined = Long.toString(record.joinedAt().toEpochMilli());
        if (presence == null) {
            if (record.listed()) {
                found.add(Discrepancy.of(Kind.INDEX_WITHOUT_KEY, record, null, joined));
            } else if (record.detailed()) {
                found.add(Discrepancy.of(Kind.DETAILS_WITHOUT_KEY, record, null, joined));
            }
            return;
        }
        String named = presence.named().value();
        if (presence.expiresAt() == null) {
            found.add(Discrepancy.of(Kind.KEY_WITHOUT_TTL, record, presence.named(), named));
        }
        if (presence.named().node().isEmpty()) {
            found.add(Discrepancy.of(Kind.KEY_WITHOUT_SOCKET_ID, record, presence.named(), named));
        }
        if (!record.listed()) {
            found.add(Discrepancy.of(Kind.KEY_WITHOUT_INDEX, record, presence.named(), named));
        }
        if (!record.detailed()) {
            found.add(Discrepancy.of(Kind.KEY_WITHOUT_DETAILS, record, presence.named(), named));
        }
    }

    private void addSocket(SeatRecord record, SocketId socket, boolean alive, boolean unknown, Set<Discrepancy> found) {
        if (record.presence() == null) {
            if (alive && !unknown && !answers.isMissing(socket.node())) {
                found.add(Discrepancy.of(Kind.SOCKET_WITHOUT_KEY, record, socket, ""));
            }
        } else if (!alive && !socket.node().isEmpty()) {
            found.add(Discrepancy.of(Kind.KEY_WITHOUT_LEASE, record, socket, ""));
        } else if (alive && unknown) {
            found.add(Discrepancy.of(Kind.KEY_WITHOUT_SOCKET, record, socket, ""));
        }
    }

    /** The users among these whose online keys do not expire in time. */
    CompletionStage<Set<Discrepancy>> atUsers(Collection<UserId> users) {
        return scan.lastingOnline(users)
                .thenApply(lasting -> lasting.stream().map(Discrepancy::of).collect(Collectors.toSet()));
    }

    /** The discrepancies of these rooms: in their own keys, and in the list of occupied rooms. */
    CompletionStage<Set<Discrepancy>> atRooms(List<RoomId> rooms) {
        if (rooms.isEmpty()) {
            return CompletableFuture.completedFuture(Set.of());
        }
        return scan.unsound(rooms).thenCompose(unsound -> {
            Set<Discrepancy> found = new LinkedHashSet<>();
            unsound.forEach(room -> found.add(Discrepancy.of(Kind.ROOM_UNSOUND, room, "")));
            List<RoomId> sound =
                    rooms.stream().filter(room -> !unsound.contains(room)).toList();
            return atSoundRooms(sound).thenApply(more -> {
                found.addAll(more);
                return found;
            });
        });
    }

    private CompletionStage<Set<Discrepancy>> atSoundRooms(List<RoomId> rooms) {
        if (rooms.isEmpty()) {
            return CompletableFuture.completedFuture(Set.of());
        }
        Map<RoomId, CompletionStage<RoomStore.Headcount>> counts =
                stores.rooms().count(rooms);
        return Stages.all(counts.values()).thenCombine(stores.directory().missing(rooms), (done, missing) -> {
            Set<Discrepancy> found = new LinkedHashSet<>();
            counts.forEach((room, counted) -> {
                RoomStore.Headcount count = counted.toCompletableFuture().join();
                String revision = Long.toString(count.revision());
                if (count.alive() == 0 && !missing.contains(room)) {
                    found.add(Discrepancy.of(Kind.ROOM_WITHOUT_USERS, room, revision));
                } else if (count.alive() > 0 && missing.contains(room)) {
                    found.add(Discrepancy.of(Kind.ROOM_WITHOUT_ENTRY, room, ""));
                }
            });
            return found;
        });
    }
}
