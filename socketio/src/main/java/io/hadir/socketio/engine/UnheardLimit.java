package io.hadir.socketio.engine;

import io.hadir.socketio.limit.TokenBucket;
import org.jspecify.annotations.Nullable;

/**
 * Limits what a client sends that no handler hears of and no other limit counts: NOOPs, pongs without a ping, and
 * WebSocket pings. Clients need few of them, if any. Belongs to one thread at a time.
 */
final class UnheardLimit {
    private static final int PER_SECOND = 10;
    private static final int AT_ONCE = 100;

    /** Null until the first, because most clients never send one. */
    private @Nullable TokenBucket bucket;

    /** Counts one more; true if that is one too many. */
    boolean isPassed() {
        long now = System.nanoTime();
        if (bucket == null) {
            bucket = new TokenBucket(PER_SECOND, AT_ONCE, now);
        }
        return bucket.take(1, now) > 0;
    }
}
