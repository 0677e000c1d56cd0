package io.hadir.torture;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One user in one room, with every claim by which they may be there. */
final class Seat {
    /** A server may have acted a little before this process noticed. */
    private static final long EARLY = 300_000_000L;

    final String room;
    final String user;
    final List<Claim> claims = new ArrayList<>();

    /** The user may have come and gone up to this revision of the room; they have been in without a break since. */
    long inSinceRevision = Long.MAX_VALUE;

    /** Whether a wrong state of this seat was reported already, so that each mistake counts once. */
    boolean reported;

    /** Whether the user was missing once, at a time when this process may have been too slow to know why. */
    boolean suspectedMissing;

    Seat(String room, String user) {
        this.room = room;
        this.user = user;
    }

    /** One socket's claim to a seat, as far as it can be known from outside. */
    static final class Claim {
        static final long UNCERTAIN = -1;

        final Seat seat;
        final int node;
        final long joinSentAt;

        /** Since when the claim certainly holds the seat. */
        long certainSince = UNCERTAIN;

        /** When the last successful join or heartbeat was sent: the presence lives at least a TTL from then on. */
        long renewedAt = UNCERTAIN;

        /** Answers to requests sent before this time prove nothing. */
        long doubtUntil = UNCERTAIN;

        /** Since when the claim may have lost its seat without a message. */
        long doubtedSince;

        /** Whether the socket was silent for a while and could not be told anything. */
        boolean revived;

        @Nullable
        Departure departure;

        Claim(Seat seat, int node, long joinSentAt) {
            this.seat = seat;
            this.node = node;
            this.joinSentAt = joinSentAt;
            doubtedSince = joinSentAt;
        }

        boolean isActive() {
            return departure == null;
        }

        boolean isCertain() {
            return certainSince != UNCERTAIN;
        }
    }

    /** The last socket left: all grace periods of the seat end with it. */
    void endGracePeriods() {
        for (Claim claim : claims) {
            claim.departure = claim.departure == null ? null : claim.departure.uncertain();
        }
    }

    boolean isClaimed() {
        return claims.stream().anyMatch(Claim::isActive);
    }

    /** Whether the user must be in for the whole time between {@code from} and {@code now}. */
    boolean mustBeIn(long from, long now, ServerSettings settings) {
        for (Claim claim : claims) {
            Departure gone = claim.departure;
            boolean holds = gone == null ? claim.isCertain() : gone.certain() && stays(gone, settings) >= now;
            if (holds
                    && claim.certainSince <= from
                    && claim.renewedAt + settings.ttl().toNanos() - EARLY > now) {
                return true;
            }
        }
        return false;
    }

    private static long stays(Departure gone, ServerSettings settings) {
        return gone.at() + gone.cause().stays(settings).toNanos() - EARLY;
    }

    /** By when the user must be out and the viewing server must have said so; never while a claim is active. */
    long outBy(FaultTimeline timeline, int viewer) {
        if (isClaimed()) {
            return Stopwatch.NEVER;
        }
        Claim last = last(timeline, viewer);
        return last == null ? 0 : outBy(last, timeline, viewer);
    }

    /** The departure time of the claim with the latest deadline. */
    long goneAt(FaultTimeline timeline, int viewer) {
        Claim last = last(timeline, viewer);
        return last == null || last.departure == null ? 0 : last.departure.at();
    }

    private @Nullable Claim last(FaultTimeline timeline, int viewer) {
        Claim last = null;
        long latest = -1;
        for (Claim claim : claims) {
            if (claim.departure != null && outBy(claim, timeline, viewer) > latest) {
                latest = outBy(claim, timeline, viewer);
                last = claim;
            }
        }
        return last;
    }

    /** The departure that would have had the latest deadline if nothing had been broken. */
    @Nullable
    Departure lastDeparture(ServerSettings settings) {
        Departure last = null;
        for (Claim claim : claims) {
            Departure gone = claim.departure;
            if (gone != null && (last == null || gone.outBy(settings) > last.outBy(settings))) {
                last = gone;
            }
        }
        return last;
    }

    private static long outBy(Claim claim, FaultTimeline timeline, int viewer) {
        Departure gone = claim.departure;
        return gone == null ? Stopwatch.NEVER : timeline.deadline(gone.at(), gone.cause(), gone.node(), viewer);
    }
}
