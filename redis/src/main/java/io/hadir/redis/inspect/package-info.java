/** What {@code explain} and {@code audit} read from Redis and ask other nodes. */
@NullMarked
package io.hadir.redis.inspect;

import org.jspecify.annotations.NullMarked;
