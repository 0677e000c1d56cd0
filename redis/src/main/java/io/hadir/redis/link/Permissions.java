package io.hadir.redis.link;

import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * What Hadir's user must be allowed to do in Redis; {@code docs/operate/operations.md} shows it as an ACL. A script that is refused
 * a command stops half-way and leaves half of a change behind, so Hadir uses no Redis that would refuse it anything.
 */
final class Permissions {
    /** Each is a call as Hadir makes it, with {@code *} for the rest of a key or channel and 1 for any other argument. */
    static final List<String> NEEDED = List.of(
            "DEL room:*",
            "EVAL 1 0",
            "EVALSHA 1 0",
            "EXISTS room:*",
            "EXPIRE room:* 1",
            "GET user:*",
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

    private static final Script CHECK = Script.plain("check-permissions");
    private static final int NAMED = 5;

    private Permissions() {}

    /** Fails if Redis would refuse Hadir a command. A Redis that does not answer in time refuses nothing. */
    static CompletionStage<?> check(RedisClusterAsyncCommands<String, String> redis) {
        return CHECK.<List<Long>>run(redis, ScriptOutputType.MULTI, List.of(), NEEDED)
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
        String first = String.join(", ", calls.subList(0, Math.min(calls.size(), NAMED)));
        return calls.size() <= NAMED ? first : first + " and " + (calls.size() - NAMED) + " more";
    }
}
