/**
 * Keeps Redis true: node leases, the check of own presences, and the scan. Start with {@link
 * io.hadir.presence.sweep.Sweeper}.
 */
@NullMarked
package io.hadir.presence.sweep;

import org.jspecify.annotations.NullMarked;
