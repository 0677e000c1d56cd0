/** All ports of the domain on one Redis link. Start with {@link io.hadir.redis.node.RedisPorts}. */
@NullMarked
package io.hadir.redis.node;

import org.jspecify.annotations.NullMarked;
