package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A room as a backend sees it. Every valid id has a room; most are empty.
 *
 * @param revision null if it is unknown, because nothing has changed for a long time
 * @param ttl the TTL in force, set for the room or for the server
 */
public record RoomView(
        RoomId room, long viewerCount, @Nullable Long revision, Duration ttl, RoomSettings settings) {}
