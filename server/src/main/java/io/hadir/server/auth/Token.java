package io.hadir.server.auth;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.config.Config;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * The contents of a good token.
 *
 * @param name the user's name unless the client sends another
 * @param issuedAt absent if the token has no usable {@code iat}
 * @param expiresAt without the allowed clock skew
 * @param rooms the only rooms that the token is for, possibly none; absent if it is for all
 * @param watch the only users whose status it lets its user watch, possibly none; absent for all
 */
public record Token(
        UserId user,
        Optional<Username> name,
        Optional<Instant> issuedAt,
        Instant expiresAt,
        Optional<Set<RoomId>> rooms,
        Optional<Set<UserId>> watch) {
    public boolean mayWatch(UserId other) {
        return watch.isEmpty() || watch.get().contains(other);
    }

    public boolean allows(RoomId room) {
        return rooms.isEmpty() || rooms.get().contains(room);
    }

    /** The end of the token including the allowed clock skew. */
    public Instant endsAt() {
        return expiresAt.plus(Config.Auth.SKEW);
    }
}
