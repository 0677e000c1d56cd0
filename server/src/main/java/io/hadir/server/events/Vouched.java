package io.hadir.server.events;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.server.wire.Language;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import java.util.Optional;
import java.util.Set;

/**
 * What an app says about the user of a socket behind its trunk. Hadir believes it.
 *
 * @param user absent if the socket has no user, and may only read
 * @param name the user's name unless the client sends another
 * @param rooms the only rooms for the socket, possibly none; absent if it may be in all
 * @param watch the only users whose status the socket may watch, possibly none; absent for all
 * @param language the language of texts; absent for the usual one
 * @param moved whether the socket was open on an earlier trunk
 */
public record Vouched(
        Optional<UserId> user,
        Optional<Username> name,
        Optional<Set<RoomId>> rooms,
        Optional<Set<UserId>> watch,
        Optional<Language> language,
        boolean moved) {
    /**
     * Reads what the app says.
     *
     * @param moved whether the socket was open on an earlier trunk
     */
    public static Vouched read(Payload payload, boolean moved) throws RefusedException {
        return new Vouched(
                Optional.ofNullable(payload.userId()),
                Optional.ofNullable(payload.username()),
                Optional.ofNullable(payload.permittedRooms()),
                payload.permittedContacts(),
                Optional.ofNullable(payload.language()),
                moved);
    }

    boolean mayWatch(UserId other) {
        return watch.isEmpty() || watch.get().contains(other);
    }

    boolean allows(RoomId room) {
        return rooms.isEmpty() || rooms.get().contains(room);
    }
}
