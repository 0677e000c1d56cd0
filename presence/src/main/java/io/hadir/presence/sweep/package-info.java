/**
 * Removes presences without a live socket: the sweep with its scan, and the leases that prove which nodes are alive.
 *
 * <p>Start with {@link io.hadir.presence.sweep.Sweeper} and {@link io.hadir.presence.sweep.LeaseKeeper}.
 */
@NullMarked
package io.hadir.presence.sweep;

import org.jspecify.annotations.NullMarked;
