/** The ports of presence on Redis. This package has the names of all keys and channels. */
@NullMarked
package io.hadir.redis;

import org.jspecify.annotations.NullMarked;
