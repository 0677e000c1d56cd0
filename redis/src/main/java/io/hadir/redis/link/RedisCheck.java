package io.hadir.redis.link;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether Hadir can use a Redis: its version, its role, its eviction policy, and what it permits Hadir's user to
 * do. {@code docs/operate/operations.md} shows the permissions as an ACL. A script whose command is refused stops in
 * the middle of a change, so Hadir does not use a Redis that would refuse one.
 */
final class RedisCheck {
    /** The calls that Hadir makes, with {@code *} for the rest of a key or channel and 1 for any other argument. */
    static final List<String> NEEDED = List.of(
            "DEL room:*",
            "EVAL 1 0",
            "EVALSHA 1 0",
            "EXISTS room:*",
            "EXPIRE room:* 1",
            "GET user:*",
            "GETEX user:*",
            "HDEL hadir:* 1",
            "HGET hadir:* 1",
            "HGETALL hadir:*",
            "HINCRBY hadir:* 1 1",
            "HMGET hadir:* 1",
            "HSET hadir:* 1 1",
            "INCR room:*",
            "INFO",
            "MGET room:*",
            "PEXPIRE user:* 1",
            "PEXPIREAT room:* 1",
            "PEXPIRETIME room:*",
            "PTTL room:*",
            "PUBLISH hadir:* 1",
            "SADD hadir:* 1",
            "SCAN 0",
            "SET room:* 1",
            "SMEMBERS hadir:*",
            "SPUBLISH hadir:* 1",
            "SREM hadir:* 1",
            "SSCAN hadir:* 0",
            "SSUBSCRIBE hadir:*",
            "SUBSCRIBE hadir:*",
            "SUNSUBSCRIBE hadir:*",
            "TIME",
            "TYPE room:*",
            "UNLINK hadir:*",
            "UNSUBSCRIBE hadir:*",
            "ZADD hadir:* 1 1",
            "ZCARD hadir:*",
            "ZCOUNT hadir:* 1 1",
            "ZMSCORE hadir:* 1",
            "ZRANGE hadir:* 1 1",
            "ZRANGEBYLEX hadir:* 1 1",
            "ZRANGEBYSCORE hadir:* 1 1",
            "ZRANK hadir:* 1",
            "ZREM hadir:* 1",
            "ZREMRANGEBYRANK hadir:* 1 1",
            "ZREMRANGEBYSCORE hadir:* 1 1",
            "ZSCORE hadir:* 1");

    private static final Logger LOG = LoggerFactory.getLogger(RedisCheck.class);
    private static final Script PERMISSIONS = Script.plain("check-permissions");
    private static final Pattern NAME = Pattern.compile(" (room|user|hadir):");
    private static final int OLDEST_MAJOR = 7;
    private static final int MOST_NAMED = 5;

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
    static CompletionStage<?> checkVersion(RedisClusterAsyncCommands<String, String> redis) {
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

    /** Fails if Redis would refuse Hadir a command. A Redis that does not answer in time refuses nothing. */
    static CompletionStage<?> checkPermissions(RedisClusterAsyncCommands<String, String> redis, String prefix) {
        List<String> needed = NEEDED.stream()
                .map(call -> NAME.matcher(call).replaceFirst(" " + Matcher.quoteReplacement(prefix) + "$1:"))
                .toList();
        return PERMISSIONS
                .<List<Long>>run(redis, ScriptOutputType.MULTI, List.of(), needed)
                .exceptionallyCompose(failed -> RedisErrorText.isSilence(failed)
                        ? CompletableFuture.completedFuture(List.of())
                        : CompletableFuture.failedFuture(failed))
                .thenAccept(refused -> {
                    if (!refused.isEmpty()) {
                        throw new RedisErrorText.RefusesException(inWords(refused));
                    }
                });
    }

    private static String inWords(List<Long> refused) {
        List<String> calls = refused.stream()
                .map(position -> NEEDED.get(position.intValue() - 1).replaceAll("( [01])+$", ""))
                .toList();
        String first = String.join(", ", calls.subList(0, Math.min(calls.size(), MOST_NAMED)));
        return calls.size() <= MOST_NAMED ? first : first + " and " + (calls.size() - MOST_NAMED) + " more";
    }
}
