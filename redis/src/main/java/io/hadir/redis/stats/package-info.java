/**
 * Statistics on Redis: removals by reason, and the history behind the charts. Start with {@link
 * io.hadir.redis.stats.RemovalStatistics}; depends on the link and the statistics of {@code presence}.
 */
@NullMarked
package io.hadir.redis.stats;

import org.jspecify.annotations.NullMarked;
