package io.hadir.presence;

/** What happens at the ports of presence, for those who count. Called on any thread, and often: it must be quick. */
public interface Happenings {
    /** Nobody counts. */
    Happenings UNSEEN = new Happenings() {};

    /** Redis has put a socket on a seat. */
    default void joined(Seat seat) {}

    /** A join has brought a user who was not in the room. */
    default void arrived(Seat seat) {}

    /** Redis has refused a join, because the room is full or the socket has gone on. */
    default void joinRefused() {}

    /** A socket was put back on its seat without having asked. */
    default void restored(Seat seat) {}

    /** A heartbeat goes to Redis. */
    default void heartbeat() {}

    /** A socket on a seat is gone. Said again if Redis did not hear it at first. */
    default void disconnected(Seat seat, Holder holder) {}

    /** The sweep has found a user not to be there. */
    default void swept(LeaveReason reason) {}

    /** A socket is told that it is out. */
    default void forcedOut(LeaveReason reason) {}

    /** The sockets in a room have been told of its changes. */
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
