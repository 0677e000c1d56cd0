package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.Seat;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A local socket's part in a room: which socket to inform and which presence to check. Never proof of a presence. */
final class Membership {
    final LocalSocket socket;
    final Seat seat;
    private String username;
    private @Nullable String data;
    private boolean paused;
    private long turn;
    private boolean joined;
    private boolean accepted;
    private boolean joining;
    private boolean unsure;
    private boolean confirmed;
    private long revision;
    private RoomChange.@Nullable Left left;
    private long activeAt;
    /** When to look at the presence after a silence, if not one silence after the last heartbeat. */
    private @Nullable Long lookAt;

    private boolean warned;

    Membership(LocalSocket socket, Seat seat) {
        this.socket = socket;
        this.seat = seat;
        this.username = seat.user().value();
    }

    /** Begins a join whose outcome is unknown. */
    Holder beginJoin() {
        turn = socket.nextTurn();
        joining = true;
        unsure = true;
        return holder();
    }

    /** Whether it has not ended. */
    boolean isCurrent() {
        return socket.memberships.get(seat) == this;
    }

    /** The join was refused, or got no answer. */
    void joinUnanswered() {
        joining = false;
    }

    /**
     * The store has put the socket on the seat.
     *
     * @param sent when it was asked to
     * @param isConfirmed whether the client asked for it
     */
    void join(JoinOutcome.Joined outcome, long sent, boolean isConfirmed) {
        joined = true;
        joining = false;
        unsure = false;
        confirmed |= isConfirmed;
        username = outcome.username();
        data = outcome.data();
        paused = false;
        revision = Math.max(revision, outcome.revision());
        active(sent);
    }

    /** The client was told that it is in the room. */
    void accept() {
        accepted = true;
    }

    /** Another program has put the socket on the seat. */
    void adopt(long seen) {
        turn = socket.nextTurn();
        joined = true;
        accepted = true;
        activeAt = seen;
    }

    /** The feed announced new details of the user. */
    void hear(RoomChange.Updated change) {
        if (change.revision() > revision) {
            username = change.participant().username();
            data = change.participant().data();
        }
    }

    /** The client has shown that it wants to be in the room. */
    void confirm() {
        confirmed = true;
    }

    /** The client's app went to the background. */
    void pause() {
        paused = true;
    }

    boolean isPaused() {
        return paused;
    }

    /** The store accepted a heartbeat that was sent at this time. */
    void heartbeat(long sent) {
        active(sent);
        paused = false;
    }

    private void active(long at) {
        activeAt = at;
        lookAt = null;
        warned = false;
    }

    /** When to look whether the presence is about to expire, if the socket sends nothing for this long. */
    long lookAt(Duration silence) {
        return lookAt == null ? activeAt + silence.toNanos() : lookAt;
    }

    void lookAgainAt(long at) {
        lookAt = at;
    }

    /** The client was told that the presence is about to expire. */
    void warn() {
        warned = true;
    }

    /** Whether the client was told since it last sent something. */
    boolean isWarned() {
        return warned;
    }

    /** The feed announced that the user left. */
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
     * The leave that ended this membership, null if none did. A leave that arrives during a join ends nothing yet: only
     * the join's answer tells which of the two came first.
     */
    RoomChange.@Nullable Left over() {
        return joined && !joining && left != null && revision < left.revision() ? left : null;
    }

    /** Whether a join without an answer may have followed the last leave. */
    boolean isDoubtful() {
        return left != null && revision < left.revision();
    }

    /** Whether the socket is on the seat, as far as this node knows. */
    boolean isJoined() {
        return joined;
    }

    /** Whether the membership stands: the client knows, or the server put it there. If not, its join is still open. */
    boolean isAccepted() {
        return accepted;
    }

    /** Whether the last join got no answer, so that Redis may still apply it. */
    boolean isUnsure() {
        return unsure;
    }

    /** Whether the client itself asked to be in the room, by a join or a heartbeat. */
    boolean isConfirmed() {
        return confirmed;
    }

    Holder holder() {
        return new Holder(socket.id, turn);
    }

    RoomStore.Claim asClaim() {
        return new RoomStore.Claim(seat.user(), holder(), username, data, paused);
    }

    /** Why a presence is gone that this socket should have kept alive. */
    RemovalReason expiryReason(long now, Duration ttl) {
        return now - activeAt >= ttl.toNanos() ? RemovalReason.INACTIVITY_TIMEOUT : RemovalReason.PRESENCE_LOST;
    }
}
