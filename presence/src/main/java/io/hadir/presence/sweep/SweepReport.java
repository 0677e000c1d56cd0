package io.hadir.presence.sweep;

import java.time.Duration;
import java.time.Instant;

/**
 * How a sweep went.
 *
 * @param scanned how many presences were looked at, 0 if another node did
 * @param removed how many users were found not to be there
 * @param finished whether it went through to the end
 */
public record SweepReport(Instant startedAt, Duration took, long scanned, long removed, boolean finished) {}
