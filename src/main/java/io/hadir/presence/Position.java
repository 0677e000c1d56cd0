package io.hadir.presence;

import java.time.Instant;

/** A place in a room's list, which is ordered by the time of joining, then by user. */
public record Position(Instant joinedAt, UserId user) {}
