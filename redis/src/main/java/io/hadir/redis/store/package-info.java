/** Presences, rooms, leases and bans on Redis. Start with {@link io.hadir.redis.store.RedisPresenceStore}. */
@NullMarked
package io.hadir.redis.store;

import org.jspecify.annotations.NullMarked;
