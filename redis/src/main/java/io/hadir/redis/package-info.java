/**
 * The names of all keys and channels in Redis. The packages below implement the ports of {@code presence}; start with
 * {@link io.hadir.redis.store}.
 */
@NullMarked
package io.hadir.redis;

import org.jspecify.annotations.NullMarked;
