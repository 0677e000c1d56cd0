package io.hadir.limit;

/**
 * Allows so many events a second, and bursts of twice that. Time is given by the caller; not safe for several threads
 * at once.
 */
public final class TokenBucket {
    private static final double NANOS_PER_SECOND = 1e9;

    private final int perSecond;
    private double tokens;
    private long last;

    /** A full bucket; {@code perSecond} 0 allows everything. */
    public TokenBucket(int perSecond, long nowNanos) {
        this.perSecond = perSecond;
        this.tokens = 2.0 * perSecond;
        this.last = nowNanos;
    }

    /** Takes a token if there is one. */
    public boolean take(long nowNanos) {
        if (perSecond == 0) {
            return true;
        }
        tokens = Math.min(2.0 * perSecond, tokens + (nowNanos - last) / NANOS_PER_SECOND * perSecond);
        last = nowNanos;
        if (tokens < 1) {
            return false;
        }
        tokens -= 1;
        return true;
    }
}
