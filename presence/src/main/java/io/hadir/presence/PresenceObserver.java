package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;

/** Hears what happens to presences, for metrics. Called on any thread, and often: it must be quick. */
public interface PresenceObserver {
    /** Ignores everything. */
    PresenceObserver UNSEEN = new PresenceObserver() {};

    /** A socket has joined a seat. */
    default void joined(Seat seat) {}

    /** A user has joined who was not in the room before. */
    default void arrived(Seat seat) {}

    /** Redis has refused a join, because the room is full or the socket has moved on. */
    default void joinRefused() {}

    /** Hadir has restored a socket to its seat. */
    default void restored(Seat seat) {}

    /** A heartbeat goes to Redis. */
    default void heartbeat() {}

    /** A socket on a seat has disconnected. Repeated if Redis did not hear it at first. */
    default void disconnected(Seat seat, Holder holder) {}

    /** The sweep has removed a user. */
    default void swept(LeaveReason reason) {}

    /** A socket gets {@code room:force-leave}. */
    default void forcedOut(LeaveReason reason) {}

    /** The sockets in a room have got its changes. */
    default void told(RoomNews news) {}

    /**
     * Redis has renewed the lease.
     *
     * @param kept whether the former one was still there
     */
    default void leaseRenewed(boolean kept) {}

    /** The lease could not be renewed. */
    default void leaseFailed() {}
}
