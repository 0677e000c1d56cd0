package io.hadir.redis.store;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Stages;
import io.hadir.redis.link.RedisLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Collects heartbeats for a moment and sends them together, each an {@code EXPIRE}. Most of their cost is in packets, and no
 * client waits for the answer to a heartbeat.
 */
final class Heartbeats {
    private static final Duration MOMENT = Duration.ofMillis(100);
    private static final int MOST_AT_ONCE = 500;

    private final RedisLink link;
    private final Loop loop;
    /** Used on the loop only. */
    private List<Beat> waiting = new ArrayList<>();

    private record Beat(String key, Duration ttl, CompletableFuture<Boolean> answer) {}

    Heartbeats(RedisLink link) {
        this.link = link;
        this.loop = link.loop();
    }

    /** Renews a presence; completes with false if there is none. */
    CompletionStage<Boolean> send(String key, Duration ttl) {
        Beat beat = new Beat(key, ttl, new CompletableFuture<>());
        loop.execute(() -> add(beat));
        return beat.answer;
    }

    private void add(Beat beat) {
        waiting.add(beat);
        if (waiting.size() == 1) {
            loop.after(MOMENT, this::send);
        } else if (waiting.size() >= MOST_AT_ONCE) {
            send();
        }
    }

    private void send() {
        List<Beat> sent = waiting;
        waiting = new ArrayList<>();
        for (Beat beat : sent) {
            link.writeFirst(beat.key, redis -> redis.expire(beat.key, beat.ttl.toSeconds()))
                    .whenComplete(Stages.into(beat.answer));
        }
    }
}
