package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A room as a backend sees it. Every room that can be named can be looked at; most are empty.
 *
 * @param revision null if nothing has happened in the room for so long that it is not known
 * @param ttl what holds here, whoever set it
 */
public record RoomView(
        RoomId room, long viewerCount, @Nullable Long revision, Duration ttl, RoomSettings settings) {}
