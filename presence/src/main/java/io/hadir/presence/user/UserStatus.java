package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a user.
 *
 * @param activeRoom the room the user is looking at, null if none
 * @param lastSeen null for a user who has never been seen, or not for a very long time
 */
public record UserStatus(
        UserId user,
        boolean online,
        @Nullable RoomId activeRoom,
        @Nullable Instant lastSeen) {}
