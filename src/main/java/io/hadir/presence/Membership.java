package io.hadir.presence;

import java.time.Duration;

/** A local socket's part in a room: whom to tell and what to check, never a proof that the user is there. */
final class Membership {
    final Session session;
    final Seat seat;
    private String username;
    private long turn;
    private boolean joined;
    private boolean unsure;
    private boolean confirmed;
    private long revision;
    private long leftRevision = -1;
    private long activeAt;

    Membership(Session session, Seat seat) {
        this.session = session;
        this.seat = seat;
        this.username = seat.user().value();
    }

    /** Begins a step whose outcome is not known yet. */
    Holder claim() {
        turn = session.nextTurn();
        unsure = true;
        return holder();
    }

    /**
     * The store has put the socket on the seat.
     *
     * @param sent when it was asked to
     * @param isConfirmed whether the client did something for it
     */
    void join(JoinOutcome.Joined outcome, long sent, boolean isConfirmed) {
        joined = true;
        unsure = false;
        confirmed |= isConfirmed;
        username = outcome.username();
        revision = Math.max(revision, outcome.revision());
        activeAt = sent;
    }

    /** The store has had the socket on the seat all along. */
    void adopt(long seen) {
        turn = session.nextTurn();
        joined = true;
        activeAt = seen;
    }

    /** The feed said that the room shows something else of the user. */
    void hear(RoomChange.Updated change) {
        if (change.revision() > revision) {
            username = change.participant().username();
        }
    }

    /** The client wants to be in the room. */
    void confirm() {
        confirmed = true;
    }

    /** A heartbeat that was sent to the store at this time was good. */
    void heartbeat(long sent) {
        activeAt = sent;
    }

    /** The feed said that the user left with this revision; true if that ends this membership. */
    boolean isEndedBy(long left) {
        leftRevision = Math.max(leftRevision, left);
        return isOver();
    }

    /** Whether the user was put out after this socket had come in. */
    boolean isOver() {
        return joined && revision < leftRevision;
    }

    /** Whether the socket is on the seat, as far as this node knows. */
    boolean isJoined() {
        return joined;
    }

    /** Whether the last join was not answered, so that Redis may still take it. */
    boolean isUnsure() {
        return unsure;
    }

    /** Whether the client itself asked to be in the room, by a join or a heartbeat. */
    boolean isConfirmed() {
        return confirmed;
    }

    Holder holder() {
        return new Holder(session.id, turn);
    }

    PresenceStore.Claim asClaim() {
        return new PresenceStore.Claim(seat.user(), holder(), username);
    }

    /** Why the presence is gone that this socket should have kept alive. */
    LeaveReason lossReason(long now, Duration ttl) {
        return now - activeAt >= ttl.toNanos() ? LeaveReason.INACTIVITY_TIMEOUT : LeaveReason.PRESENCE_LOST;
    }
}
