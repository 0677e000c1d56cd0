package io.hadir.redis.link;

import io.hadir.presence.stats.RedisStatus;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Looks how Redis is. */
public final class RedisProbe {
    private final RedisLink link;

    public RedisProbe(RedisLink link) {
        this.link = link;
    }

    /** Completes in the time of two commands, also while Redis is away. Of a cluster one server is looked at. */
    public CompletionStage<RedisStatus> look() {
        long begun = System.nanoTime();
        return link.read(redis -> redis.ping())
                .thenApply(pong -> Duration.ofNanos(System.nanoTime() - begun))
                .thenCompose(latency ->
                        link.read(redis -> redis.info()).thenApply(text -> status(new ServerInfo(text), latency)))
                .exceptionally(failed -> RedisStatus.away(link.mode()));
    }

    private RedisStatus status(ServerInfo info, Duration latency) {
        return new RedisStatus(
                link.trouble().isEmpty(),
                link.mode(),
                info.version(),
                info.evicting(),
                info.usedMemory(),
                info.maxMemory(),
                latency);
    }
}
