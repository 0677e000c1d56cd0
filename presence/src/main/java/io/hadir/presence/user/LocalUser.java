package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A user of this node and their sockets here. Never proof of anything. */
final class LocalUser {
    /** With more rooms than this, clients need not know each unread counter exactly. */
    private static final int MOST_TOLD = 200;

    final UserId id;
    final Map<SocketId, UserSocket> sockets = new LinkedHashMap<>();
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
}
