package io.hadir.socketio.limit;

/** Limits events to a rate per second, with bursts up to a capacity. The caller passes the time. Not thread-safe. */
public final class TokenBucket {
    private static final double NANOS_PER_SECOND = 1e9;

    private final int perSecond;
    private final int capacity;
    private double tokens;
    private long updatedAt;

    /** Creates a full bucket with a capacity of twice the rate; {@code perSecond} 0 allows everything. */
    public TokenBucket(int perSecond, long nowNanos) {
        this(perSecond, 2 * perSecond, nowNanos);
    }

    /** Creates a full bucket; {@code perSecond} 0 allows everything. */
    public TokenBucket(int perSecond, int capacity, long nowNanos) {
        this.perSecond = perSecond;
        this.capacity = capacity;
        this.tokens = capacity;
        this.updatedAt = nowNanos;
    }

    /**
     * Takes {@code cost} tokens, or a full bucket if the cost exceeds the capacity.
     *
     * @return 0, or the nanoseconds until there are enough tokens; then none are taken
     */
    public long take(int cost, long nowNanos) {
        if (perSecond == 0) {
            return 0;
        }
        tokens = tokensAt(nowNanos);
        updatedAt = nowNanos;
        int needed = Math.min(cost, capacity);
        if (tokens < needed) {
            return (long) Math.ceil((needed - tokens) / perSecond * NANOS_PER_SECOND);
        }
        tokens -= needed;
        return 0;
    }

    /**
     * Takes {@code cost} tokens even if there are fewer. Later callers pay the debt, which is at most one full bucket.
     */
    public void charge(int cost, long nowNanos) {
        tokens = Math.max(-capacity, tokensAt(nowNanos) - cost);
        updatedAt = nowNanos;
    }

    public boolean isFull(long nowNanos) {
        return tokensAt(nowNanos) >= capacity;
    }

    private double tokensAt(long nowNanos) {
        return Math.min(capacity, tokens + (nowNanos - updatedAt) / NANOS_PER_SECOND * perSecond);
    }
}
