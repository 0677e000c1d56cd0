package io.hadir.redis.link;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks whether Hadir can use a Redis: its version, its role, and what it does when its memory is full. */
final class RedisCheck {
    private static final Logger LOG = LoggerFactory.getLogger(RedisCheck.class);
    private static final int OLDEST_MAJOR = 7;

    private RedisCheck() {}

    /** Fails if Redis is a replica: its data may be old, and it takes no writes. */
    static CompletionStage<?> checkPrimary(RedisClusterAsyncCommands<String, String> redis) {
        return redis.info("replication").thenApply(ServerInfo::new).thenAccept(info -> {
            if (info.isReplica()) {
                throw new RedisErrorText.ReplicaException();
            }
        });
    }

    /** Fails if Redis is too old; warns if it may evict presences. */
    static CompletionStage<?> check(RedisClusterAsyncCommands<String, String> redis) {
        return redis.info().thenApply(ServerInfo::new).thenAccept(info -> {
            String version = Objects.requireNonNullElse(info.version(), "");
            if (major(version) < OLDEST_MAJOR) {
                throw new RedisErrorText.TooOldException(version);
            }
            if (Boolean.TRUE.equals(info.evicting())) {
                LOG.warn(
                        "Redis evicts keys when its memory is full (maxmemory-policy {}): users may disappear from rooms"
                                + " (expected: noeviction)",
                        info.policy().orElse(""));
            }
        });
    }

    private static int major(String version) {
        String digits = version.split("\\.", 2)[0];
        return digits.matches("\\d{1,4}") ? Integer.parseInt(digits) : 0;
    }
}
