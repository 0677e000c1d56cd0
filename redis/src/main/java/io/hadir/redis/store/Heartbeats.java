package io.hadir.redis.store;

import io.hadir.presence.room.Stages;
import io.hadir.redis.link.RedisLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Collects heartbeats for a moment and sends them together, each an {@code EXPIRE}. To wake Redis up costs as much as
 * dozens of them, and no client waits for the answer to a heartbeat.
 */
final class Heartbeats {
    private static final Duration MOMENT = Duration.ofMillis(250);
    private static final int MOST_AT_ONCE = 200;

    private final RedisLink link;
    /** In the order of arrival. Guarded by this. */
    private List<Beat> waiting = new ArrayList<>();
    /** Whether the end of a moment is to come. Guarded by this. */
    private boolean collecting;

    private record Beat(String key, Duration ttl, CompletableFuture<Boolean> answer) {}

    Heartbeats(RedisLink link) {
        this.link = link;
    }

    /** Renews a presence; completes with false if there is none. */
    CompletionStage<Boolean> send(String key, Duration ttl) {
        Beat beat = new Beat(key, ttl, new CompletableFuture<>());
        boolean first;
        boolean full;
        synchronized (this) {
            waiting.add(beat);
            first = !collecting;
            collecting = true;
            full = waiting.size() >= MOST_AT_ONCE;
        }
        if (first) {
            link.loop().after(MOMENT, this::endMoment);
        }
        if (full) {
            sendNow();
        }
        return beat.answer;
    }

    private void endMoment() {
        synchronized (this) {
            collecting = false;
        }
        sendNow();
    }

    /** Sends what has been collected so far. */
    void sendNow() {
        List<Beat> sent;
        synchronized (this) {
            sent = waiting;
            waiting = new ArrayList<>();
        }
        for (Beat beat : sent) {
            link.writeFirst(beat.key, redis -> redis.expire(beat.key, beat.ttl.toSeconds()))
                    .whenComplete(Stages.into(beat.answer));
        }
    }
}
