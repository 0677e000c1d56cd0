package io.hadir.socketio.engine;

import io.hadir.socketio.limit.TokenBucket;
import org.jspecify.annotations.Nullable;

/**
 * Limits what a client sends that reaches no handler and no other limit: NOOPs, unsolicited pongs and WebSocket pings.
 * Real clients send few of them. Not thread-safe.
 */
final class IgnoredLimit {
    private static final int PER_SECOND = 10;
    private static final int BURST = 100;

    /** Null until the first use, because most clients never need it. */
    private @Nullable TokenBucket bucket;

    /** Counts one more; false if that exceeds the limit. */
    boolean allows() {
        long now = System.nanoTime();
        if (bucket == null) {
            bucket = new TokenBucket(PER_SECOND, BURST, now);
        }
        return bucket.take(1, now) == 0;
    }
}
