package io.hadir.redis.node;

import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The latest epoch of each app process, for an hour after the process was last heard of. */
public final class RedisEpochs {
    private static final Script RAISE = Script.plain("raise-epoch");
    private static final String KEPT = Long.toString(Duration.ofHours(1).toMillis());

    private final RedisLink link;

    public RedisEpochs(RedisLink link) {
        this.link = link;
    }

    /**
     * Records an epoch unless a later one is known, and returns the latest.
     *
     * @param process letters, digits, underscores and hyphens only
     */
    public CompletionStage<Long> raise(String process, long epoch) {
        String key = RedisKeys.epoch(process);
        return link.write(
                        key,
                        redis -> RAISE.<String>run(
                                redis, ScriptOutputType.VALUE, List.of(key), List.of(Long.toString(epoch), KEPT)))
                .thenApply(Long::parseLong);
    }
}
