package io.hadir.socketio.limit;

/** Limits the events of one sender, and tells when it keeps sending too many. Not thread-safe. */
public final class SenderLimit {
    private final TokenBucket events;
    private final int tolerance;
    private int excess;

    /** @param perSecond events that the sender may send, in bursts of twice that; 0 for no limit */
    public SenderLimit(int perSecond, long nowNanos) {
        events = new TokenBucket(perSecond, nowNanos);
        tolerance = 2 * perSecond;
    }

    /** Calls {@link TokenBucket#take}. */
    public long take(int cost, long nowNanos) {
        return events.take(cost, nowNanos);
    }

    /**
     * Records whether an event was within the limits. Returns whether the sender has exceeded them too often to stay.
     */
    public boolean isFlood(boolean withinLimits) {
        excess = Math.max(0, withinLimits ? excess - 1 : excess + 1);
        return excess > tolerance;
    }
}
