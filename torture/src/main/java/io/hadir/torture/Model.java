package io.hadir.torture;

import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/** What is known from outside of who is where, and so who must be in, who must be out, and who may be either. */
final class Model {
    private static final long KEPT = 60_000_000_000L;
    private static final long RECENT = 5_000_000_000L;

    private final Map<String, Seat> seats = new HashMap<>();
    private final long[] doubtUntil;
    private final int[] doubters;
    private final long[] killedAt;
    private final Stopwatch watch;
    private final Terms terms;
    private final Story story;

    Model(int nodes, Stopwatch watch, Terms terms, Story story) {
        this.doubters = new int[nodes];
        this.killedAt = new long[nodes];
        Arrays.fill(killedAt, -1);
        this.doubtUntil = new long[nodes];
        Arrays.fill(doubtUntil, -1);
        this.watch = watch;
        this.terms = terms;
        this.story = story;
    }

    Collection<Seat> seats() {
        return seats.values();
    }

    Seat seat(String room, String user) {
        return seats.computeIfAbsent(room + ":" + user, key -> new Seat(room, user));
    }

    /** A join is sent. */
    Tab asks(String room, String user, int node) {
        Seat seat = seat(room, user);
        long now = watch.now();
        seat.tabs.removeIf(tab -> tab.departure != null && tab.departure.at() < now - KEPT);
        Tab tab = new Tab(seat, node, now);
        seat.tabs.add(tab);
        story.of(user, "joins " + room + " at server " + node);
        return tab;
    }

    /** A join was answered. */
    void joined(Tab tab, long revision) {
        Seat seat = tab.seat;
        story.of(seat.user, "is in " + seat.room + " at server " + tab.node + ", revision " + revision);
        seat.ghost = false;
        seat.missing = false;
        if (tab.departure == null) {
            boolean before = seat.mustBeIn(tab.askedAt, watch.now(), terms);
            tab.goodAt = tab.askedAt;
            confirm(tab, tab.askedAt);
            if (tab.isSure() && !before) {
                seat.sureRevision = revision;
            }
        }
    }

    /** A heartbeat that was sent at this time was answered well. */
    void beat(Tab tab, long sentAt) {
        tab.goodAt = Math.max(tab.goodAt, sentAt);
        if (tab.departure == null && !tab.isSure() && sentAt > sharedUntil(tab)) {
            boolean before = tab.seat.mustBeIn(sentAt, watch.now(), terms);
            confirm(tab, sentAt);
            if (tab.isSure() && !before) {
                // It is in, but since which revision is not known: what comes later is seen by looking.
                tab.seat.sureRevision = Long.MAX_VALUE;
            }
        }
    }

    /**
     * Until when a good answer may be owed to another tab of the user: one that has come after the loss, of which the seat
     * knows, while it knows of this one only after a sweep. If that other goes, or its join is taken back, so does the seat.
     */
    private long sharedUntil(Tab tab) {
        long recent = watch.now() - RECENT;
        for (Tab other : tab.seat.tabs) {
            if (other != tab && (other.departure == null || other.departure.at() > recent)) {
                return Math.max(tab.doubtedSince, doubtUntil[tab.node])
                        + terms.sweep().plus(Cause.TELLING).toNanos();
            }
        }
        return Tab.UNSURE;
    }

    private void confirm(Tab tab, long sentAt) {
        boolean proof = doubters[tab.node] == 0 && sentAt > doubtUntil[tab.node] && sentAt > tab.doubtUntil;
        if (proof && !tab.isSure()) {
            tab.sureSince = watch.now();
        }
    }

    /** The tab holds its seat no more, and this is why. */
    void ends(Tab tab, Cause cause) {
        endsFrom(tab, cause, tab.node);
    }

    /** The tab is ended by what happens at another server. */
    void endsFrom(Tab tab, Cause cause, int node) {
        Tab.Departure before = tab.departure;
        boolean idle = before != null && before.cause() == Cause.IDLE;
        if (before != null && !idle) {
            if (before.cause() == Cause.SILENCE) {
                // The server sees an end earlier than it would have missed a pong.
                tab.departure = before.unsure();
            }
            return;
        }
        Seat seat = tab.seat;
        long now = watch.now();
        if (before != null && cause == Cause.KILL && runsOutFirst(tab, before)) {
            tab.departure = before.unsure();
            return;
        }
        story.of(seat.user, "ends in " + seat.room + " at server " + node + ": " + cause.words());
        boolean sure = tab.isSure() && !idle;
        boolean killed = cause == Cause.CLOSE && tab.askedAt <= killedAt[node];
        tab.departure = killed
                ? new Tab.Departure(Cause.KILL, killedAt[node], false, node)
                : new Tab.Departure(cause, now, sure, node);
        if (cause == Cause.LEAVE || cause == Cause.TOLD) {
            seat.endGraces();
        }
    }

    /** Whether an idle tab's presence may end before its server, killed now, is cleaned up: then the sweep tells it. */
    private boolean runsOutFirst(Tab tab, Tab.Departure idle) {
        long cleanedUp = watch.now() + Cause.KILL.allowed(terms).toNanos();
        return tab.goodAt + terms.ttl().toNanos() <= cleanedUp && idle.outBy(terms) > cleanedUp;
    }

    /** What was to end the tab may not have reached the server, but this will. */
    void endsAnew(Tab tab, Cause cause) {
        tab.departure = null;
        doubt(tab);
        ends(tab, cause);
    }

    /** A tab that had fallen silent is heard again; whether it still holds its seat will be seen. */
    void revives(Tab tab) {
        Tab.Departure gone = tab.departure;
        if (gone != null && gone.cause() != Cause.TOLD) {
            story.of(tab.seat.user, "is heard again");
            tab.departure = null;
            tab.revived = true;
            // What is read now may have been answered long ago.
            tab.doubtUntil = watch.now();
            doubt(tab);
            // Nobody could tell it anything until now.
            tab.doubtedSince = watch.now();
        }
    }

    /** Presences of a server, or of all, may be lost from now on until {@link #doubtsUntil}. */
    void doubts(int node) {
        for (int i = 0; i < doubters.length; i++) {
            doubters[i] += node == Timeline.ALL || node == i ? 1 : 0;
        }
        doubt(tab -> node == Timeline.ALL || tab.node == node);
    }

    /** What is answered to a question asked after this time is certain again. */
    void doubtsUntil(int node, long time) {
        for (int i = 0; i < doubters.length; i++) {
            if (node == Timeline.ALL || node == i) {
                doubters[i]--;
                doubtUntil[i] = Math.max(doubtUntil[i], time);
            }
        }
        // Who joined in between is no more certain than the others.
        doubt(tab -> node == Timeline.ALL || tab.node == node);
    }

    /**
     * Those may run out early who do not send heartbeats, or whose server may not pass them on.
     *
     * @param passes whether a server passes on what it is sent
     */
    void doubtsAbsent(IntPredicate passes) {
        long lately = watch.now() - terms.heartbeat().multipliedBy(2).toNanos();
        doubt(tab -> tab.departure != null || tab.goodAt < lately || !passes.test(tab.node));
    }

    private void doubt(Predicate<Tab> which) {
        for (Seat seat : seats.values()) {
            for (Tab tab : seat.tabs) {
                if (which.test(tab)) {
                    doubt(tab);
                }
            }
        }
    }

    /** Those of a server may lose their seats sooner than usual. */
    void doubtAll(int node) {
        doubt(tab -> tab.node == node);
    }

    /** This one may have lost its seat. */
    void doubt(Tab tab) {
        Tab.Departure gone = tab.departure;
        if (gone != null) {
            tab.departure = gone.unsure();
        } else if (tab.isSure()) {
            tab.sureSince = Tab.UNSURE;
            tab.doubtedSince = watch.now();
        }
    }

    /** These users' presences are about to be deleted, or have been. */
    void doubts(Seat seat, long until) {
        for (Tab tab : seat.tabs) {
            doubt(tab);
            tab.doubtUntil = until;
        }
    }

    /** A server sees its connections end, those of the silent included: they have their grace from now on. */
    void connectionsEnd(int node) {
        for (Seat seat : seats.values()) {
            for (Tab tab : seat.tabs) {
                Tab.Departure gone = tab.departure;
                if (tab.node == node && gone != null && gone.cause() == Cause.SILENCE) {
                    tab.departure = gone.unsure();
                }
            }
        }
    }

    /** A server is gone with everything that it held. */
    void nodeEnds(int node, Cause cause) {
        if (cause == Cause.KILL) {
            killedAt[node] = watch.now();
        }
        for (Seat seat : seats.values()) {
            for (Tab tab : seat.tabs) {
                if (tab.node == node) {
                    ends(tab, cause);
                }
            }
        }
    }
}
