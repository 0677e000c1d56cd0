package io.hadir.server.limit;

import io.hadir.socketio.limit.TokenBucket;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A token bucket per key, such as a user or an address. Safe for any thread.
 *
 * <p>A full bucket equals a new one, so it is forgotten. If there are still too many, the least recently used one is
 * forgotten.
 */
public final class Buckets<K> {
    /** Buckets examined for each new one; more than one, so their number falls after a rush. */
    private static final int EXAMINED = 2;

    private final int perSecond;
    private final int maxBuckets;
    private final Map<K, TokenBucket> leastRecentFirst = new LinkedHashMap<>(16, 0.75f, true);

    /**
     * @param perSecond tokens per key, bursts of twice that; 0 for no limit
     * @param maxBuckets the number of buckets to keep
     */
    public Buckets(int perSecond, int maxBuckets) {
        this.perSecond = perSecond;
        this.maxBuckets = maxBuckets;
    }

    /** Calls {@link TokenBucket#take} on this key's bucket. */
    public synchronized long take(K key, int cost, long nowNanos) {
        return perSecond == 0 ? 0 : bucket(key, nowNanos).take(cost, nowNanos);
    }

    /** Calls {@link TokenBucket#charge} on this key's bucket. */
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
        for (int i = 0; i < EXAMINED && buckets.hasNext(); i++) {
            boolean full = buckets.next().isFull(nowNanos);
            if (full || leastRecentFirst.size() >= maxBuckets) {
                buckets.remove();
            }
        }
    }

    synchronized int size() {
        return leastRecentFirst.size();
    }
}
