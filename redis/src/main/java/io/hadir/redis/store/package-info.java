/**
 * Presences, rooms, leases, bans and the feed on Redis. Start with {@link io.hadir.redis.store.RedisSeatStore} and
 * {@code room-prelude.lua}.
 */
@NullMarked
package io.hadir.redis.store;

import org.jspecify.annotations.NullMarked;
