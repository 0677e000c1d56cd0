/** Statistics on Redis: removals by reason, and the history of the last 24 hours. */
@NullMarked
package io.hadir.redis.stats;

import org.jspecify.annotations.NullMarked;
