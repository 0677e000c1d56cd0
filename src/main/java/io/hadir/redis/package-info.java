/** The ports of {@code presence} on Redis: keys, scripts, link, store, feed, leases, and a Redis that comes along. */
@NullMarked
package io.hadir.redis;

import org.jspecify.annotations.NullMarked;
