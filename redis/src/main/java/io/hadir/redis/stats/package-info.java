/**
 * Statistics on Redis: removals by reason, and the minutes of the last 24 hours. Start with {@link
 * io.hadir.redis.stats.RemovalStatistics}; depends on the link and the statistics of {@code presence}.
 */
@NullMarked
package io.hadir.redis.stats;

import org.jspecify.annotations.NullMarked;
