package io.hadir.presence.user;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A socket of this node and the room that its client looks at, as the client said last. */
final class UserSocket {
    final SocketId id;
    final LocalUser user;
    /** Completes with whether the user may have this socket. */
    CompletionStage<Answer<UserId>> admitted = new CompletableFuture<>();

    /** When its token was issued, the epoch if the token does not say; null if it has none. */
    private @Nullable Instant issued;
    /** What it is told when it is closed, null as long as it need not be. */
    private @Nullable String out;

    private @Nullable RoomId room;
    private long since;
    private long turn = 1;
    private boolean gone;
    private long goneAt;

    UserSocket(SocketId id, LocalUser user, @Nullable Instant issued) {
        this.id = id;
        this.user = user;
        this.issued = issued;
    }

    /** The socket has to be closed; false if that was known. */
    boolean expel(String message) {
        boolean first = out == null;
        out = first ? message : out;
        return first;
    }

    /** What it is told when it is closed, null as long as it need not be. */
    @Nullable
    String out() {
        return out;
    }

    /** Puts a newer token in the place of the one before; false if that is revoked. */
    boolean refresh(Instant newer) {
        if (out != null || user.hasRevoked(newer)) {
            return false;
        }
        issued = newer;
        return true;
    }

    boolean isRevoked() {
        return issued != null && user.hasRevoked(issued);
    }

    void look(@Nullable RoomId at) {
        turn++;
        room = at;
        since = 0;
    }

    boolean looksAt(RoomId other) {
        return other.equals(room);
    }

    /** Whether it looks at the room and has done nothing since this turn. */
    boolean stillLooksAt(RoomId other, long at) {
        return looksAt(other) && turn == at;
    }

    boolean looksOnlyAt(Predicate<RoomId> rooms) {
        return room == null || rooms.test(room);
    }

    /** The socket is gone, which the store has to hear. */
    void leave(long now) {
        turn++;
        gone = true;
        goneAt = now;
    }

    /** Whether it is known if the user may have this socket, so that the store may be told again that it is there. */
    boolean isDecided() {
        return admitted.toCompletableFuture().isDone();
    }

    boolean isGone() {
        return gone;
    }

    long goneAt() {
        return goneAt;
    }

    UserStore.SocketState state() {
        return new UserStore.SocketState(id, turn, !gone, room, since, issued);
    }

    UserStore.SocketState goneState() {
        return new UserStore.SocketState(id, turn, false, null, 0, issued);
    }

    /** The store has noted a state of this socket. */
    void noted(UserStore.SocketState state, long began) {
        if (state.turn() == turn) {
            since = began;
        }
    }
}
