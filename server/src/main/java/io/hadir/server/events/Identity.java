package io.hadir.server.events;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.auth.Token;
import io.hadir.server.wire.Language;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.Socket;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The user of a socket, and what the socket may do. A token, or the app behind a trunk, settles both when the socket
 * connects. In open mode, the first accepted event that names a user settles the user. Until then, unanswered events
 * reserve the socket for their user, so two users never share a socket.
 */
final class Identity {
    private @Nullable UserId user;
    private boolean settled;
    private int underWay;
    private @Nullable Token token;
    private final @Nullable Vouched vouched;
    private final @Nullable Language language;

    /**
     * The identity of a socket whose user is not known yet.
     *
     * @param language the client's, null if it named none that Hadir has
     */
    Identity(@Nullable Language language) {
        vouched = null;
        this.language = language;
    }

    Identity(Token token, @Nullable Language language) {
        this(language);
        settle(token.user());
        this.token = token;
    }

    Identity(Vouched vouched) {
        vouched.user().ifPresent(this::settle);
        this.vouched = vouched;
        language = vouched.language().orElse(null);
    }

    /** The identity of a socket that {@link Gate} admitted. */
    static Identity of(Socket socket) {
        return (Identity) Objects.requireNonNull(socket.attachment());
    }

    /** The language of the client's texts; null for the usual one. */
    @Nullable
    Language language() {
        return language;
    }

    /** Makes it this user's socket for good. */
    synchronized void settle(UserId owner) {
        user = owner;
        settled = true;
    }

    /** The user, settled or not; empty if none is known. */
    synchronized Optional<UserId> user() {
        return Optional.ofNullable(user);
    }

    /** Empty in open mode, and for a socket behind a trunk. */
    synchronized Optional<Token> token() {
        return Optional.ofNullable(token);
    }

    /** The user, if a token or the app vouches for them. */
    Optional<UserId> proven() {
        return vouched != null ? vouched.user() : token().map(Token::user);
    }

    /** Whether the socket is behind a trunk. */
    boolean isVouched() {
        return vouched != null;
    }

    /** Whether the socket was connected to another node before. */
    boolean hasMoved() {
        return vouched != null && vouched.moved();
    }

    /** Replaces the token by a newer one of the same user. */
    synchronized void renew(Token newer) {
        token = newer;
    }

    /** Whether the socket may join and read this room. */
    boolean permits(RoomId room) {
        return permitted().test(room);
    }

    /** Whether the socket may know when this user is online. */
    synchronized boolean mayWatch(UserId other) {
        if (vouched != null) {
            return vouched.mayWatch(other);
        }
        return token == null || token.mayWatch(other);
    }

    /** The username that the client chose in a payload; null if it chose none or its token decides. */
    @Nullable
    Username chosenName(Payload payload, Gate gate) throws RefusedException {
        return vouched != null ? payload.username() : gate.username(payload);
    }

    /** The rooms that the current token, or the app, permits; a later token does not change the result. */
    synchronized Predicate<RoomId> permitted() {
        if (vouched != null) {
            return vouched::allows;
        }
        return token == null ? room -> true : token::allows;
    }

    /** The name for a user who chose none: the token's or the app's, else the user id. */
    Username nameOf(UserId owner) {
        Optional<Username> given = vouched != null ? vouched.name() : token().flatMap(Token::name);
        return given.orElse(Username.of(owner));
    }

    /**
     * Reserves the socket for an event of this user; false if the socket is another user's. Every true needs an {@link
     * #end}.
     */
    synchronized boolean begin(UserId named) {
        if (user == null ? vouched != null : !user.equals(named)) {
            return false;
        }
        user = named;
        underWay++;
        return true;
    }

    /**
     * Ends an event. An accepted event settles the user. If none was accepted, the last event to end frees the socket.
     */
    synchronized void end(boolean accepted) {
        underWay--;
        settled |= accepted;
        if (!settled && underWay == 0) {
            user = null;
        }
    }
}
