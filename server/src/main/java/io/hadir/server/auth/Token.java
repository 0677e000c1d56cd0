package io.hadir.server.auth;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.config.AuthConfig;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/**
 * What a token that was found good says.
 *
 * @param user who it is
 * @param name what the user is called unless a client says otherwise
 * @param issuedAt when it was made; absent if it does not say so
 * @param expiresAt when it runs out, the skew of clocks not included
 * @param rooms the only rooms that it is for; absent if it is for all, and for none if they are empty
 */
public record Token(
        UserId user,
        Optional<Username> name,
        Optional<Instant> issuedAt,
        Instant expiresAt,
        Optional<Set<RoomId>> rooms) {
    public boolean allows(RoomId room) {
        return rooms.isEmpty() || rooms.get().contains(room);
    }

    /** From when on it is not good any more, however the clocks differ. */
    public Instant endsAt() {
        return expiresAt.plus(AuthConfig.SKEW);
    }
}
