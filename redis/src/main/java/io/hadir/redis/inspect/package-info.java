/**
 * What explain and audit read from Redis ({@link io.hadir.redis.inspect.RedisSeatRecords}) and ask other nodes ({@link
 * io.hadir.redis.inspect.RedisPeers}).
 */
@NullMarked
package io.hadir.redis.inspect;

import org.jspecify.annotations.NullMarked;
