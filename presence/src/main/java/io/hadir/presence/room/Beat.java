package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;

/** The answer to a heartbeat that renewed a presence. */
public record Beat(RoomId room, Instant expiresAt, Instant serverTime, Duration ttl) {}
