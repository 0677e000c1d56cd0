package io.hadir.torture;

import org.jspecify.annotations.Nullable;

/** One socket's claim to a seat, as far as it can be known from outside. */
final class Tab {
    static final long UNSURE = -1;

    final Seat seat;
    final int node;
    /** When the join was sent. */
    final long askedAt;
    /** Since when it is certain that it holds the seat. */
    long sureSince = UNSURE;
    /** When the last question was asked that was answered well: the presence lives a whole TTL from then on. */
    long goodAt = UNSURE;
    /** Answers to what was asked before this time prove nothing. */
    long doubtUntil = UNSURE;
    /** Since when it is not certain any more, though nobody has said that it does not. */
    long doubtedSince;
    /** Whether it was silent for a while, so that nobody could tell it anything. */
    boolean revived;

    @Nullable
    Departure departure;

    /**
     * How it ended.
     *
     * @param sure whether it held the seat until then
     * @param node the server that has to see to it
     */
    record Departure(Cause cause, long at, boolean sure, int node) {
        /** When the user has to be out for this reason if nothing is broken. */
        long outBy(Terms terms) {
            return at + cause.allowed(terms).toNanos();
        }

        Departure unsure() {
            return new Departure(cause, at, false, node);
        }
    }

    Tab(Seat seat, int node, long askedAt) {
        this.seat = seat;
        this.node = node;
        this.askedAt = askedAt;
        doubtedSince = askedAt;
    }

    boolean isThere() {
        return departure == null;
    }

    boolean isSure() {
        return sureSince != UNSURE;
    }
}
