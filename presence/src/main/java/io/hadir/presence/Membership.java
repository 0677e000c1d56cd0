package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.Seat;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A local socket's part in a room: whom to tell and what to check, never a proof that the user is there. */
public final class Membership {
    public final Session session;
    public final Seat seat;
    private String username;
    private long turn;
    private boolean joined;
    private boolean accepted;
    private boolean joining;
    private boolean unsure;
    private boolean confirmed;
    private long revision;
    private RoomChange.@Nullable Left left;
    private long activeAt;

    Membership(Session session, Seat seat) {
        this.session = session;
        this.seat = seat;
        this.username = seat.user().value();
    }

    /** Begins a step whose outcome is not known yet. */
    Holder claim() {
        turn = session.nextTurn();
        joining = true;
        unsure = true;
        return holder();
    }

    /** The step that was begun put the socket on no seat, as far as is known: it was refused, or has no answer. */
    void joinUnanswered() {
        joining = false;
    }

    /**
     * The store has put the socket on the seat.
     *
     * @param sent when it was asked to
     * @param isConfirmed whether the client did something for it
     */
    void join(JoinOutcome.Joined outcome, long sent, boolean isConfirmed) {
        joined = true;
        joining = false;
        unsure = false;
        confirmed |= isConfirmed;
        username = outcome.username();
        revision = Math.max(revision, outcome.revision());
        activeAt = sent;
    }

    /** The client was told that it is in the room. */
    void accept() {
        accepted = true;
    }

    /** The store has had the socket on the seat all along. */
    void adopt(long seen) {
        turn = session.nextTurn();
        joined = true;
        accepted = true;
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

    /** The feed says that the user has left. */
    void hear(RoomChange.Left change) {
        if (left == null || left.revision() < change.revision()) {
            left = change;
        }
    }

    /** The presence was alive at this revision of the room. */
    void seenAlive(long at) {
        revision = Math.max(revision, at);
    }

    /**
     * The leave that ended this membership, null if none did. A leave that arrives while a join is under way ends
     * nothing yet: only the join's answer tells which of them came first.
     */
    RoomChange.@Nullable Left over() {
        return joined && !joining && left != null && revision < left.revision() ? left : null;
    }

    /** Whether a leave was heard of that a join without an answer may have followed. */
    boolean isDoubtful() {
        return left != null && revision < left.revision();
    }

    /** Whether the socket is on the seat, as far as this node knows. */
    boolean isJoined() {
        return joined;
    }

    /** Whether the client was told that it is in the room; if not, its join is under way or will be taken back. */
    public boolean isAccepted() {
        return accepted;
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
