package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;

/** Observes presences for metrics. Called often and on any thread, so it must be quick. */
public interface PresenceObserver {
    /** Ignores everything. */
    PresenceObserver UNSEEN = new PresenceObserver() {};

    /** A socket has joined a seat. */
    default void joined(Seat seat) {}

    /** A user has joined who was not in the room before. */
    default void arrived(Seat seat) {}

    /** Redis has refused a join: the room is full, the user is banned, or the socket has taken a later step. */
    default void joinRefused() {}

    /** Hadir has restored a socket to its seat. */
    default void restored(Seat seat) {}

    /** A heartbeat goes to Redis. */
    default void heartbeat() {}

    /** A socket that holds a seat has disconnected. Called again if the first attempt did not reach Redis. */
    default void disconnected(Seat seat, Holder holder) {}

    /** The sweep has removed a user. */
    default void swept(RemovalReason reason) {}

    /** A socket gets {@code room:force-leave}. */
    default void forceLeave(RemovalReason reason) {}

    /** A room's changes were sent to its sockets. */
    default void announced(RoomNews news) {}

    /**
     * Redis has renewed the lease.
     *
     * @param kept false if the old lease had run out
     */
    default void leaseRenewed(boolean kept) {}

    /** The lease could not be renewed. */
    default void leaseFailed() {}
}
