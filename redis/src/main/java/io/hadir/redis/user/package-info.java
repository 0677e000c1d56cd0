/** Users and unread counters on Redis. */
@NullMarked
package io.hadir.redis.user;

import org.jspecify.annotations.NullMarked;
