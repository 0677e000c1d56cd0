package io.hadir.server.events;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.auth.Token;
import io.hadir.socketio.Socket;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whose a socket is, and what it may do. With a token that is settled from the start. Without, in open mode, events that
 * are under way for a user hold the place for it, so that no two users get on one socket.
 */
final class Identity {
    private @Nullable UserId user;
    private boolean settled;
    private int underWay;
    private @Nullable Token token;

    /** Of nobody yet. */
    Identity() {}

    /** Of the token's user. */
    Identity(Token token) {
        settle(token.user());
        this.token = token;
    }

    /** Of a socket that was let in. */
    static Identity of(Socket socket) {
        return (Identity) Objects.requireNonNull(socket.attachment());
    }

    /** It is this user's socket, for good. */
    synchronized void settle(UserId owner) {
        user = owner;
        settled = true;
    }

    /** The user, if there is one. */
    synchronized Optional<UserId> user() {
        return Optional.ofNullable(user);
    }

    /** What it may do and until when; empty in open mode. */
    synchronized Optional<Token> token() {
        return Optional.ofNullable(token);
    }

    /** Puts a newer token of the same user in the place of the one before. */
    synchronized void renew(Token newer) {
        token = newer;
    }

    /** Whether it may have to do with this room. */
    synchronized boolean permits(RoomId room) {
        return token == null || token.allows(room);
    }

    /** The rooms that it may be in, as things are. */
    synchronized Predicate<RoomId> permitted() {
        return token == null ? room -> true : token::allows;
    }

    /** What its user is called in a room where nobody said otherwise. */
    Username nameOf(UserId owner) {
        return token().flatMap(Token::name).orElse(Username.of(owner));
    }

    /** Begins something for this user; false if the socket is another's. */
    synchronized boolean begin(UserId named) {
        if (user != null && !user.equals(named)) {
            return false;
        }
        user = named;
        underWay++;
        return true;
    }

    /** Ends what was begun; the first that was accepted settles the matter. */
    synchronized void end(boolean accepted) {
        underWay--;
        settled |= accepted;
        if (!settled && underWay == 0) {
            user = null;
        }
    }
}
