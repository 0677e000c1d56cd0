package io.hadir.presence.user;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate.SocketState;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A socket of this node and the room that it focuses. Lives on the loop. */
final class UserSocket {
    final SocketId id;
    final LocalUser user;
    /** Completes with the user if the socket is admitted, or with the reason for a refusal. */
    CompletionStage<Answer<UserId>> admitted = new CompletableFuture<>();

    /** When its token was issued, the epoch if the token does not say; null if it has no token. */
    private @Nullable Instant issued;
    /** When its client connected to its app, in nanoseconds; null if it is connected directly. */
    private final @Nullable Long connectedAt;
    /** Whether the store has accepted or refused it. */
    private boolean isChecked;
    /** Set once the socket has to be disconnected. */
    private @Nullable String closeMessage;

    private @Nullable RoomId room;
    /** When the socket began to focus the room, by the store's clock; 0 if the store has not said. */
    private long since;

    private long turn = 1;
    private boolean gone;
    private long goneAt;
    private boolean held;

    UserSocket(SocketId id, LocalUser user, @Nullable Instant issued, @Nullable Long connectedAt) {
        this.id = id;
        this.user = user;
        this.issued = issued;
        this.connectedAt = connectedAt;
    }

    boolean isBehindApp() {
        return connectedAt != null;
    }

    /** Whether the store has accepted or refused it. If not, it was admitted during an outage. */
    boolean isChecked() {
        return isChecked;
    }

    void check() {
        isChecked = true;
    }

    /** Marks the socket to be disconnected; false if it was marked before. */
    boolean disconnect(String message) {
        boolean first = closeMessage == null;
        closeMessage = first ? message : closeMessage;
        return first;
    }

    /** The text for a client that has to be disconnected; null if it does not. */
    @Nullable
    String closeMessage() {
        return closeMessage;
    }

    /** Replaces the token; false if the new one is revoked. */
    boolean refresh(Instant newer) {
        if (closeMessage != null || user.hasRevoked(newer)) {
            return false;
        }
        issued = newer;
        return true;
    }

    boolean isRevoked() {
        return issued != null && user.hasRevoked(issued);
    }

    /** Focuses a room, or none. */
    void focus(@Nullable RoomId focused) {
        turn++;
        room = focused;
        since = 0;
    }

    boolean focuses(RoomId other) {
        return other.equals(room);
    }

    /** Whether it has focused the room since this turn, its latest. */
    boolean stillFocuses(RoomId other, long at) {
        return focuses(other) && turn == at;
    }

    /** Whether it focuses no room except one of these. */
    boolean focusesOnly(Predicate<RoomId> rooms) {
        return room == null || rooms.test(room);
    }

    /** The socket is gone, and the store has to be updated. */
    void disconnected(long now, boolean mayBeAsleep) {
        turn++;
        gone = true;
        held = mayBeAsleep;
        goneAt = now;
    }

    /** Whether it is admitted or refused. Until then it must not be renewed. */
    boolean isDecided() {
        return admitted.toCompletableFuture().isDone();
    }

    boolean isGone() {
        return gone;
    }

    /** Whether the store has its latest state, as far as this node knows. */
    boolean isRecorded() {
        return isDecided() && !gone && (room == null || since > 0);
    }

    @Nullable
    RoomId room() {
        return room;
    }

    long since() {
        return since;
    }

    long goneAt() {
        return goneAt;
    }

    /** @param rooms the rooms that it is in */
    SocketState state(Collection<RoomId> rooms, long now) {
        return state(room, since, rooms, now);
    }

    /**
     * The state that it will have once it has joined a room. Whatever it does before that is known has a later turn.
     *
     * @param focused the room, null if the socket will not focus it
     * @param rooms the rooms that it will be in
     */
    SocketState joining(@Nullable RoomId focused, Collection<RoomId> rooms, long now) {
        turn++;
        return focused == null ? state(rooms, now) : state(focused, 0, rooms, now);
    }

    /** It has joined a room, and has this state unless it took a step since. */
    void joined(SocketState state) {
        if (state.turn() == turn) {
            room = state.room();
            since = state.since();
        }
    }

    private SocketState state(@Nullable RoomId focused, long begun, Collection<RoomId> rooms, long now) {
        Duration age = connectedAt == null ? null : Duration.ofNanos(now - connectedAt);
        return new SocketState(id, turn, !gone, held, focused, begun, rooms, issued, age);
    }

    SocketState goneState() {
        return new SocketState(id, turn, false, held, null, 0, List.of(), issued, null);
    }

    /** The store has recorded a state of this socket. */
    void recorded(SocketState state, long began) {
        if (state.turn() == turn) {
            since = began;
        }
    }
}
