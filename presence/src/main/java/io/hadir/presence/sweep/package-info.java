/**
 * Removes presences without a live socket: the sweep with its scan, the leases that prove which nodes are alive, and
 * the cleanup after dead nodes.
 *
 * <p>Start with {@link io.hadir.presence.sweep.Sweeper}, which decides when, and {@code SeatSweep}, which decides who
 * is removed. Then {@link io.hadir.presence.sweep.LeaseKeeper} and {@link io.hadir.presence.sweep.NodeCleanup}.
 */
@NullMarked
package io.hadir.presence.sweep;

import org.jspecify.annotations.NullMarked;
