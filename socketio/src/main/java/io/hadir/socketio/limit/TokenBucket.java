package io.hadir.socketio.limit;

/**
 * Allows so many events a second, and bursts of up to what it holds. The caller gives the time; not safe for several
 * threads at once.
 */
public final class TokenBucket {
    private static final double NANOS_PER_SECOND = 1e9;

    private final int perSecond;
    private final int most;
    private double tokens;
    private long last;

    /** A full bucket for bursts of twice the rate; {@code perSecond} 0 allows everything. */
    public TokenBucket(int perSecond, long nowNanos) {
        this(perSecond, 2 * perSecond, nowNanos);
    }

    /** A full bucket that holds {@code most} tokens; {@code perSecond} 0 allows everything. */
    public TokenBucket(int perSecond, int most, long nowNanos) {
        this.perSecond = perSecond;
        this.most = most;
        this.tokens = most;
        this.last = nowNanos;
    }

    /**
     * Takes so many tokens, or all that it can hold if that is less.
     *
     * @return 0, or if they are not there the nanoseconds until they are; then it takes none
     */
    public long take(int cost, long nowNanos) {
        if (perSecond == 0) {
            return 0;
        }
        tokens = filled(nowNanos);
        last = nowNanos;
        int paid = Math.min(cost, most);
        if (tokens < paid) {
            return (long) Math.ceil((paid - tokens) / perSecond * NANOS_PER_SECOND);
        }
        tokens -= paid;
        return 0;
    }

    /** Takes so many tokens also if they are not there: then later takers wait for them, for a full bucket at most. */
    public void charge(int cost, long nowNanos) {
        tokens = Math.max(-most, filled(nowNanos) - cost);
        last = nowNanos;
    }

    /** Whether it is like a new one. */
    public boolean isFull(long nowNanos) {
        return filled(nowNanos) >= most;
    }

    private double filled(long nowNanos) {
        return Math.min(most, tokens + (nowNanos - last) / NANOS_PER_SECOND * perSecond);
    }
}
