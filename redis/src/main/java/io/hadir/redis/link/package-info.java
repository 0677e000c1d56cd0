/**
 * The connections to Redis: a single server, sentinels or a cluster, and how they recover. It knows no key of Hadir and
 * depends only on ports and values of {@code presence}.
 *
 * <p>Start with {@link io.hadir.redis.link.RedisLink}, which everything outside uses. {@code RedisConnections} opens
 * connections, {@code ReconnectingConnection} replaces broken ones, {@code MasterHealth} watches a cluster, and {@code
 * LinkHealth} tells operators what is wrong.
 */
@NullMarked
package io.hadir.redis.link;

import org.jspecify.annotations.NullMarked;
