package io.hadir.presence.inspect;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.sweep.Sweeper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Repairs the discrepancies of an audit by the steps of a sweep. */
final class AuditRepair {
    private final Sweeper sweeper;
    private final SeatRecords records;
    private final Loop loop;

    AuditRepair(Sweeper sweeper, SeatRecords records, Loop loop) {
        this.sweeper = sweeper;
        this.records = records;
        this.loop = loop;
    }

    /** Completes with false if a repair is not possible now. */
    CompletionStage<Boolean> of(Set<Discrepancy> found) {
        Map<Seat, Set<SocketId>> seats = new HashMap<>();
        Map<RoomId, Set<UserId>> dead = new HashMap<>();
        Set<RoomId> rooms = new HashSet<>();
        Set<RoomId> unsound = new HashSet<>();
        Set<UserId> online = new HashSet<>();
        for (Discrepancy discrepancy : found) {
            Seat seat = discrepancy.seat();
            SocketId socket = discrepancy.socket();
            RoomId room = discrepancy.room();
            if (room == null) {
                online.add(Objects.requireNonNull(discrepancy.user()));
            } else if (seat == null) {
                (discrepancy.kind() == Discrepancy.Kind.ROOM_UNSOUND ? unsound : rooms).add(room);
            } else if (socket == null) {
                dead.computeIfAbsent(room, first -> new HashSet<>()).add(seat.user());
            } else {
                seats.computeIfAbsent(seat, key -> new HashSet<>()).add(socket);
            }
        }
        List<CompletableFuture<Sighting>> read = new ArrayList<>();
        seats.forEach((seat, sockets) -> read.add(records.read(seat)
                .thenApply(record -> sighting(sockets, record))
                .toCompletableFuture()));
        return Stages.all(read)
                .thenComposeAsync(
                        done -> sweeper.repair(new Sweeper.ToRepair(
                                read.stream().map(CompletableFuture::join).toList(),
                                dead,
                                List.copyOf(rooms),
                                List.copyOf(unsound),
                                online)),
                        loop);
    }

    /** The sighting of a seat, marked incomplete, so the nodes of its sockets check it closely. */
    private static Sighting sighting(Set<SocketId> sockets, SeatRecord record) {
        SeatRecord.LivePresence presence = record.presence();
        if (presence == null) {
            return new Sighting(record.seat(), sockets.iterator().next(), sockets, false);
        }
        Set<SocketId> all = new HashSet<>(presence.sockets());
        all.add(presence.named());
        return new Sighting(record.seat(), presence.named(), all, false);
    }
}
