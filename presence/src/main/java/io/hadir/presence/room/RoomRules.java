package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one room: its settings, or else those of the server.
 *
 * @param inactivityMessage the room's own text, null if it has none
 */
public record RoomRules(Duration ttl, @Nullable String inactivityMessage) {}
