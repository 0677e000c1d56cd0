package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** One socket of this node: the rooms it is in, and the queue of its steps. Lives on the loop. */
final class LocalSocket {
    final SocketId id;
    /** Null if the user is unknown, or known only by the client's word. */
    final @Nullable UserId authenticated;

    final StepQueue queue;
    /** The one place that says which rooms this socket is in. */
    final Map<Seat, Membership> memberships = new LinkedHashMap<>();

    /** The rooms that it was in before it moved here, as long as it has not been put back into them. */
    final Set<RoomId> awaited = new LinkedHashSet<>();

    private final Set<RoomId> absences = new LinkedHashSet<>();
    private final int maxRooms;
    private Predicate<RoomId> permitted;
    private long turn;

    LocalSocket(
            SocketId id, @Nullable UserId authenticated, Predicate<RoomId> permitted, int maxRooms, StepQueue queue) {
        this.id = id;
        this.authenticated = authenticated;
        this.permitted = permitted;
        this.maxRooms = maxRooms;
        this.queue = queue;
    }

    /** Whether the socket may be in this room. */
    boolean permits(RoomId room) {
        return permitted.test(room);
    }

    void restrict(Predicate<RoomId> rooms) {
        permitted = rooms;
    }

    long nextTurn() {
        return ++turn;
    }

    /** The rooms that the socket has joined. */
    List<RoomId> rooms() {
        return memberships.values().stream()
                .filter(Membership::isJoined)
                .map(membership -> membership.seat.room())
                .toList();
    }

    /** Whether the socket has as many rooms as it may, and the client was told that it is in each. */
    boolean isAtRoomLimit() {
        return mayJoinNoMore(0) && memberships.values().stream().allMatch(Membership::isAccepted);
    }

    /** Whether the socket's rooms and so many others are as many as it may be in. */
    boolean mayJoinNoMore(int others) {
        return memberships.size() + others >= maxRooms;
    }

    /** Records that the client knows of its absence from this room: it left, or was told. Keeps the latest absences. */
    void recordAbsence(RoomId room) {
        absences.remove(room);
        absences.add(room);
        // As many rooms as it may be in here, and as many that it may have been in before it moved here.
        if (absences.size() > 2 * maxRooms) {
            Iterator<RoomId> oldest = absences.iterator();
            oldest.next();
            oldest.remove();
        }
    }

    /** Whether it has yet to be put back into this room, and the client does not know of its absence there. */
    boolean awaits(RoomId room) {
        return awaited.contains(room) && !knowsAbsence(room);
    }

    /** Whether it awaits any room. */
    boolean awaitsRooms() {
        return awaited.stream().anyMatch(this::awaits);
    }

    /** Forgets the absence, because the socket is in the room again. */
    void forgetAbsence(RoomId room) {
        absences.remove(room);
    }

    /** Whether the client knows that it is not in this room. */
    boolean knowsAbsence(RoomId room) {
        return absences.contains(room);
    }
}
