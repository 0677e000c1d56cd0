package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import io.hadir.torture.Seat.Claim;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Who must be in which room, who must be out, and who may be either, judged from the clients' side.
 *
 * <p>A claim is certain from the first good answer to a request that was sent after every doubt. A fault that may lose
 * presences casts doubt on the claims it affects; the next good heartbeat makes them certain again.
 */
final class PresenceModel {
    private static final long KEPT = Duration.ofMinutes(1).toNanos();
    private static final long RECENT = Duration.ofSeconds(5).toNanos();

    private final Map<String, Seat> seats = new HashMap<>();
    private final long[] doubtUntil;
    private final int[] doubts;
    private final long[] killedAt;
    private final Stopwatch watch;
    private final ServerSettings settings;
    private final History history;

    PresenceModel(int nodes, Stopwatch watch, ServerSettings settings, History history) {
        this.doubts = new int[nodes];
        this.killedAt = new long[nodes];
        Arrays.fill(killedAt, -1);
        this.doubtUntil = new long[nodes];
        Arrays.fill(doubtUntil, -1);
        this.watch = watch;
        this.settings = settings;
        this.history = history;
    }

    Collection<Seat> seats() {
        return seats.values();
    }

    Seat seat(String room, String user) {
        return seats.computeIfAbsent(room + ":" + user, key -> new Seat(room, user));
    }

    /** A client sends a join. */
    Claim joinSent(String room, String user, int node) {
        Seat seat = seat(room, user);
        long now = watch.now();
        seat.claims.removeIf(claim -> claim.departure != null && claim.departure.at() < now - KEPT);
        Claim claim = new Claim(seat, node, now);
        seat.claims.add(claim);
        history.record(user, "joins " + room + " at server " + node);
        return claim;
    }

    /** The server accepted a join. */
    void joined(Claim claim, long revision) {
        Seat seat = claim.seat;
        history.record(seat.user, "is in " + seat.room + " at server " + claim.node + ", revision " + revision);
        seat.reported = false;
        seat.suspectedMissing = false;
        if (claim.departure == null) {
            boolean before = seat.mustBeIn(claim.joinSentAt, watch.now(), settings);
            claim.renewedAt = claim.joinSentAt;
            confirm(claim, claim.joinSentAt);
            if (claim.isCertain() && !before) {
                seat.inSinceRevision = revision;
            }
        }
    }

    /** The server accepted a heartbeat that was sent at this time. */
    void heartbeatAccepted(Claim claim, long sentAt) {
        claim.renewedAt = Math.max(claim.renewedAt, sentAt);
        if (claim.departure == null && !claim.isCertain() && sentAt > sharedUntil(claim)) {
            boolean before = claim.seat.mustBeIn(sentAt, watch.now(), settings);
            confirm(claim, sentAt);
            if (claim.isCertain() && !before) {
                // The user is in, but since an unknown revision. Only snapshots can show later leaves.
                claim.seat.inSinceRevision = Long.MAX_VALUE;
            }
        }
    }

    /**
     * Until when a success may be due to another claim of the same user. After a loss, the seat may know only a socket
     * that joined later, until the next sweep adds this one. If the later one goes first, so does the seat.
     */
    private long sharedUntil(Claim claim) {
        long recent = watch.now() - RECENT;
        for (Claim other : claim.seat.claims) {
            if (other != claim && (other.departure == null || other.departure.at() > recent)) {
                return Math.max(claim.doubtedSince, doubtUntil[claim.node])
                        + settings.sweep().plus(Cause.ANNOUNCING).toNanos();
            }
        }
        return Claim.UNCERTAIN;
    }

    /** Since when good answers can make a claim certain. */
    long provableSince(Claim claim) {
        return Math.max(Math.max(claim.doubtedSince, doubtUntil[claim.node]), sharedUntil(claim));
    }

    private void confirm(Claim claim, long sentAt) {
        boolean proof = doubts[claim.node] == 0 && sentAt > doubtUntil[claim.node] && sentAt > claim.doubtUntil;
        if (proof && !claim.isCertain()) {
            claim.certainSince = watch.now();
        }
    }

    /** The claim ends at its own server. */
    void end(Claim claim, Cause cause) {
        endAt(claim, cause, claim.node);
    }

    /** The claim ends because of an event at the given server. */
    void endAt(Claim claim, Cause cause, int node) {
        Departure before = claim.departure;
        boolean idle = before != null && before.cause() == Cause.IDLE;
        if (before != null && !idle) {
            if (before.cause() == Cause.SILENCE) {
                // The server sees a closed connection before it would miss a pong.
                claim.departure = before.uncertain();
            }
            return;
        }
        if (before != null && cause == Cause.KILL && expiresFirst(claim, before)) {
            claim.departure = before.uncertain();
            return;
        }
        Seat seat = claim.seat;
        history.record(seat.user, "ends in " + seat.room + " at server " + node + ": " + cause.words());
        boolean killed = cause == Cause.CLOSE && claim.joinSentAt <= killedAt[node];
        claim.departure = killed
                ? new Departure(Cause.KILL, killedAt[node], false, node)
                : new Departure(cause, watch.now(), claim.isCertain() && !idle, node);
        if (cause == Cause.LEAVE || cause == Cause.TOLD) {
            seat.endGracePeriods();
        }
    }

    /**
     * Whether the presence of an idle claim may expire before its server, killed now, is cleaned up. Then the sweep
     * announces it.
     */
    private boolean expiresFirst(Claim claim, Departure idle) {
        long cleanedUp = watch.now() + Cause.KILL.allowed(settings).toNanos();
        return claim.renewedAt + settings.ttl().toNanos() <= cleanedUp && idle.outBy(settings) > cleanedUp;
    }

    /** The event that ended the claim may not have reached the server, but this one will. */
    void endInstead(Claim claim, Cause cause) {
        claim.departure = null;
        doubt(claim);
        end(claim, cause);
    }

    /** A silent claim is heard again; it may have lost its seat. */
    void revive(Claim claim) {
        Departure gone = claim.departure;
        if (gone != null && gone.cause() != Cause.TOLD) {
            history.record(claim.seat.user, "is heard again");
            claim.departure = null;
            claim.revived = true;
            // The answers that arrive now may be old.
            claim.doubtUntil = watch.now();
            doubt(claim);
            claim.doubtedSince = watch.now();
        }
    }

    /** Presences of one server, or of all, may be lost from now on until {@link #endDoubt}. */
    void beginDoubt(int node) {
        for (int i = 0; i < doubts.length; i++) {
            doubts[i] += node == FaultTimeline.ALL || node == i ? 1 : 0;
        }
        doubtClaims(claim -> node == FaultTimeline.ALL || claim.node == node);
    }

    /** Answers to requests that are sent after the given time are proof again. */
    void endDoubt(int node, long time) {
        for (int i = 0; i < doubts.length; i++) {
            if (node == FaultTimeline.ALL || node == i) {
                doubts[i]--;
                doubtUntil[i] = Math.max(doubtUntil[i], time);
            }
        }
        // Joins in between are no more certain than the others.
        doubtClaims(claim -> node == FaultTimeline.ALL || claim.node == node);
    }

    /**
     * Presences may expire early if their clients send no heartbeats or their server cannot forward them.
     *
     * @param forwards whether a server forwards heartbeats
     */
    void doubtWithoutHeartbeat(IntPredicate forwards) {
        long recent = watch.now() - settings.heartbeat().multipliedBy(2).toNanos();
        doubtClaims(claim -> claim.departure != null || claim.renewedAt < recent || !forwards.test(claim.node));
    }

    /** The claims of a server may lose their seats sooner than usual. */
    void doubtNode(int node) {
        doubtClaims(claim -> claim.node == node);
    }

    private void doubtClaims(Predicate<Claim> which) {
        for (Seat seat : seats.values()) {
            for (Claim claim : seat.claims) {
                if (which.test(claim)) {
                    doubt(claim);
                }
            }
        }
    }

    /** The claims of a seat may lose it until the given time. */
    void doubtSeat(Seat seat, long until) {
        for (Claim claim : seat.claims) {
            doubt(claim);
            claim.doubtUntil = until;
        }
    }

    /** A claim may have lost its seat. */
    void doubt(Claim claim) {
        Departure gone = claim.departure;
        if (gone != null) {
            claim.departure = gone.uncertain();
        } else if (claim.isCertain()) {
            claim.certainSince = Claim.UNCERTAIN;
            claim.doubtedSince = watch.now();
        }
    }

    /**
     * A user has connected again, and their app proves who they are: the server restores them to the rooms that they
     * were in moments ago, for two heartbeats.
     */
    void mayBeRestored(String user) {
        long until = watch.now()
                + settings.heartbeat().multipliedBy(2).plus(Cause.ANNOUNCING).toNanos();
        for (Seat seat : seats.values()) {
            for (Claim claim : seat.user.equals(user) ? seat.claims : List.<Claim>of()) {
                Departure gone = claim.departure;
                if (gone != null && gone.cause() != Cause.LEAVE) {
                    long at = until - gone.cause().allowed(settings).toNanos();
                    claim.departure = new Departure(gone.cause(), Math.max(gone.at(), at), false, gone.node());
                }
            }
        }
    }

    /** A server sees its connections end, also those of silent clients: their grace periods begin now. */
    void connectionsEnded(int node) {
        for (Seat seat : seats.values()) {
            for (Claim claim : seat.claims) {
                Departure gone = claim.departure;
                if (claim.node == node && gone != null && gone.cause() == Cause.SILENCE) {
                    claim.departure = gone.uncertain();
                }
            }
        }
    }

    /** A server ended, and every claim at it. */
    void nodeEnded(int node, Cause cause) {
        if (cause == Cause.KILL) {
            killedAt[node] = watch.now();
        }
        for (Seat seat : seats.values()) {
            for (Claim claim : seat.claims) {
                if (claim.node == node) {
                    end(claim, cause);
                }
            }
        }
    }
}
