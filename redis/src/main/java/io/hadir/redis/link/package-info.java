/**
 * The connections to Redis: one server, sentinels or a cluster, and how they recover. Start with {@link
 * io.hadir.redis.link.RedisLink}.
 */
@NullMarked
package io.hadir.redis.link;

import org.jspecify.annotations.NullMarked;
