package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A user as this node knows it: its sockets here, and the rooms in which they sit. Never a proof of anything. */
final class LocalUser {
    /** Beyond so many rooms with unread messages nobody looks at each number. */
    private static final int MOST_TOLD = 200;

    final UserId id;
    final Map<SocketId, LocalSocket> sockets = new LinkedHashMap<>();
    private final Map<RoomId, Set<SocketId>> seats = new HashMap<>();
    private final Set<RoomId> told = new LinkedHashSet<>();
    private @Nullable Set<RoomId> heard;
    /** Tokens that were issued until then are refused. */
    private Instant revoked = Instant.EPOCH;

    LocalUser(UserId id) {
        this.id = id;
    }

    void revoke(Instant until) {
        revoked = until.isAfter(revoked) ? until : revoked;
    }

    /** Whether a token that was issued then is refused. */
    boolean hasRevoked(Instant issued) {
        return revoked.isAfter(Instant.EPOCH) && !issued.isAfter(revoked);
    }

    void sit(SocketId socket, RoomId room) {
        seats.computeIfAbsent(room, any -> new HashSet<>()).add(socket);
    }

    void rise(SocketId socket, RoomId room) {
        seats.computeIfPresent(room, (any, sitting) -> {
            sitting.remove(socket);
            return sitting.isEmpty() ? null : sitting;
        });
    }

    void riseEverywhere(SocketId socket) {
        List.copyOf(seats.keySet()).forEach(room -> rise(socket, room));
    }

    Set<RoomId> seats() {
        return seats.keySet();
    }

    /** Remembers in which rooms the user's clients believe to have something unread. */
    void remember(RoomId room, long unread) {
        if (heard != null) {
            heard.add(room);
        }
        if (unread == 0) {
            told.remove(room);
        } else if (told.size() < MOST_TOLD) {
            told.add(room);
        }
    }

    /** Begins to watch whose counters are heard of. */
    void watch() {
        heard = new HashSet<>();
    }

    /** The rooms whose counters were heard of since; ends the watch. */
    Set<RoomId> heard() {
        Set<RoomId> rooms = heard == null ? Set.of() : heard;
        heard = null;
        return rooms;
    }

    /** The rooms in which the user's clients believe to have something unread. */
    Set<RoomId> told() {
        return Set.copyOf(told);
    }

    boolean isGone() {
        return sockets.isEmpty() && seats.isEmpty();
    }
}
