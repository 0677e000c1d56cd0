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

/** A user and their sockets on this node. Not proof that they are online. */
final class LocalUser {
    /** A client with more rooms than this may miss that a counter fell to zero during an outage. */
    private static final int MOST_ROOMS = 200;

    final UserId id;
    final Map<SocketId, UserSocket> sockets = new LinkedHashMap<>();
    /** Rooms in which the user's clients believe that something is unread. */
    private final Set<RoomId> unreadRooms = new LinkedHashSet<>();
    /** Rooms whose counters have changed since tracking began; null while not tracking. */
    private @Nullable Set<RoomId> changed;
    /** Tokens issued up to this time are refused; the epoch if none are. */
    private Instant revoked = Instant.EPOCH;
    /** Whether this node counts the user as online. Set by {@link LocalUsers}. */
    boolean isLed;
    /** When all sockets were last reported to the store. */
    long reportedAt;
    /** How often the user was renewed without a report. */
    int renewals;

    LocalUser(UserId id, long now) {
        this.id = id;
        this.reportedAt = now;
    }

    /** The room that was focused last; null if none is. */
    @Nullable
    RoomId focused() {
        UserSocket last = null;
        for (UserSocket socket : sockets.values()) {
            if (socket.room() != null && (last == null || socket.since() > last.since())) {
                last = socket;
            }
        }
        return last == null ? null : last.room();
    }

    /** Whether the store has the latest state of every socket, as far as this node knows. */
    boolean isRecorded() {
        for (UserSocket socket : sockets.values()) {
            if (!socket.isRecorded()) {
                return false;
            }
        }
        return true;
    }

    void revoke(Instant until) {
        revoked = until.isAfter(revoked) ? until : revoked;
    }

    /** Whether a token issued at this time is refused. */
    boolean hasRevoked(Instant issued) {
        return revoked.isAfter(Instant.EPOCH) && !issued.isAfter(revoked);
    }

    /** Remembers a counter that is sent to the user's clients. */
    void remember(RoomId room, long unread) {
        if (changed != null) {
            changed.add(room);
        }
        if (unread == 0) {
            unreadRooms.remove(room);
        } else if (unreadRooms.size() < MOST_ROOMS) {
            unreadRooms.add(room);
        }
    }

    /** Begins to track which counters change. */
    void trackUnread() {
        changed = new HashSet<>();
    }

    /** Ends tracking; returns the rooms whose counters have changed since it began. */
    Set<RoomId> stopTracking() {
        Set<RoomId> rooms = changed == null ? Set.of() : changed;
        changed = null;
        return rooms;
    }

    Set<RoomId> unreadRooms() {
        return Set.copyOf(unreadRooms);
    }
}
