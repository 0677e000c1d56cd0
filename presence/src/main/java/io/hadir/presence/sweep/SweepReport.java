package io.hadir.presence.sweep;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The result of a sweep.
 *
 * @param scan how long this node's scan took, null if another node scanned
 * @param scanned the number of presences scanned, 0 if another node scanned
 * @param removed the number of users removed, because they had no live socket
 * @param finished whether every step succeeded
 */
public record SweepReport(
        Instant startedAt, Duration took, @Nullable Duration scan, long scanned, long removed, boolean finished) {}
