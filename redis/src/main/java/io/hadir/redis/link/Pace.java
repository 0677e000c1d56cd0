package io.hadir.redis.link;

import java.time.Duration;

/**
 * Whether Redis answers in time for clients to get theirs. One slow answer changes nothing, and neither does one quick one:
 * several in a row do, and what was too slow has to become clearly quicker. Lives on the link's thread; others may ask.
 */
final class Pace {
    private static final int IN_A_ROW = 3;

    private final Duration slowest;
    private final Duration quick;
    private volatile boolean slow;
    private int against;

    /**
     * Nothing is slow yet.
     *
     * @param slowest an answer that takes longer is too late
     */
    Pace(Duration slowest) {
        this.slowest = slowest;
        this.quick = slowest.multipliedBy(3).dividedBy(4);
    }

    boolean isSlow() {
        return slow;
    }

    /** An answer took so long; true if that changes whether Redis is too slow. */
    boolean changes(Duration took) {
        boolean otherwise = slow ? took.compareTo(quick) <= 0 : took.compareTo(slowest) > 0;
        against = otherwise ? against + 1 : 0;
        if (against < IN_A_ROW) {
            return false;
        }
        against = 0;
        slow = !slow;
        return true;
    }
}
