/**
 * Users on Redis: whether they are online, what they focus, and their unread counters. Start with {@link
 * io.hadir.redis.user.RedisUserStore} and {@code user-prelude.lua}.
 */
@NullMarked
package io.hadir.redis.user;

import org.jspecify.annotations.NullMarked;
