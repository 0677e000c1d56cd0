package io.hadir.server.limit;

import io.hadir.socketio.limit.TokenBucket;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A token bucket for each key, such as a user or an address, whether or not it is connected. Safe for any thread.
 *
 * <p>A bucket that is full again is like a new one and is forgotten, so few are kept. If there are too many all the same,
 * the one that was used least recently is forgotten.
 */
public final class Buckets<K> {
    /** More than one for each new bucket, so that they become fewer after a rush. */
    private static final int LOOKS = 2;

    private final int perSecond;
    private final int most;
    private final Map<K, TokenBucket> leastRecentFirst = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param perSecond tokens of each, bursts of twice that, 0 for no limit
     * @param most buckets that are kept
     */
    public Buckets(int perSecond, int most) {
        this.perSecond = perSecond;
        this.most = most;
    }

    /** As {@link TokenBucket#take}, of the bucket of this key. */
    public synchronized long take(K key, int cost, long nowNanos) {
        return perSecond == 0 ? 0 : bucket(key, nowNanos).take(cost, nowNanos);
    }

    /** As {@link TokenBucket#charge}, of the bucket of this key. */
    public synchronized void charge(K key, int cost, long nowNanos) {
        if (perSecond > 0) {
            bucket(key, nowNanos).charge(cost, nowNanos);
        }
    }

    private TokenBucket bucket(K key, long nowNanos) {
        TokenBucket bucket = leastRecentFirst.get(key);
        if (bucket == null) {
            forget(nowNanos);
            bucket = new TokenBucket(perSecond, nowNanos);
            leastRecentFirst.put(key, bucket);
        }
        return bucket;
    }

    private void forget(long nowNanos) {
        Iterator<TokenBucket> buckets = leastRecentFirst.values().iterator();
        for (int i = 0; i < LOOKS && buckets.hasNext(); i++) {
            boolean full = buckets.next().isFull(nowNanos);
            if (full || leastRecentFirst.size() >= most) {
                buckets.remove();
            }
        }
    }

    synchronized int size() {
        return leastRecentFirst.size();
    }
}
