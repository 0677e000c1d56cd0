package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a user is online, and what they focus.
 *
 * @param activeRoom the room that the user focuses, null if none
 * @param lastSeen null if the user has never been seen, or not for a very long time
 */
public record UserStatus(
        UserId user,
        boolean online,
        @Nullable RoomId activeRoom,
        @Nullable Instant lastSeen) {}
