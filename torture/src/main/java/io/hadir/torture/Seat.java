package io.hadir.torture;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A user in a room, and all the tabs by which it may be there. */
final class Seat {
    /** The other side may have known a little before this one did. */
    private static final long EARLY = 300_000_000L;

    final String room;
    final String user;
    final List<Tab> tabs = new ArrayList<>();
    /** Up to this revision of the room the user may have come and gone; after it, it has been in without a break. */
    long sureRevision = Long.MAX_VALUE;
    /** When it was seen to be wrongly in or out, so that each mistake counts once. */
    boolean ghost;

    boolean missing;

    Seat(String room, String user) {
        this.room = room;
        this.user = user;
    }

    /** The last socket has left: whoever was in its grace, or might have been, is out with it. */
    void endGraces() {
        for (Tab tab : tabs) {
            tab.departure = tab.departure == null ? null : tab.departure.unsure();
        }
    }

    boolean isClaimed() {
        return tabs.stream().anyMatch(Tab::isThere);
    }

    /** Whether the user must be in, from one time to another, of which the second is now. */
    boolean mustBeIn(long from, long to, Terms terms) {
        for (Tab tab : tabs) {
            Tab.Departure gone = tab.departure;
            boolean holds = gone == null ? tab.isSure() : gone.sure() && stays(gone, terms) >= to;
            if (holds && tab.sureSince <= from && tab.goodAt + terms.ttl().toNanos() - EARLY > to) {
                return true;
            }
        }
        return false;
    }

    private static long stays(Tab.Departure gone, Terms terms) {
        return gone.at() + gone.cause().stays(terms).toNanos() - EARLY;
    }

    /** By when the user must be out and a server must have told it; never while a tab may hold the seat. */
    long outBy(Timeline timeline, int viewer) {
        Tab last = last(timeline, viewer);
        if (isClaimed()) {
            return Stopwatch.NEVER;
        }
        return last == null ? 0 : outBy(last, timeline, viewer);
    }

    /** When that went which has the most time. */
    long goneAt(Timeline timeline, int viewer) {
        Tab last = last(timeline, viewer);
        return last == null || last.departure == null ? 0 : last.departure.at();
    }

    /** The tab whose end has the most time. */
    @Nullable
    Tab last(Timeline timeline, int viewer) {
        Tab last = null;
        long latest = -1;
        for (Tab tab : tabs) {
            if (tab.departure != null && outBy(tab, timeline, viewer) > latest) {
                latest = outBy(tab, timeline, viewer);
                last = tab;
            }
        }
        return last;
    }

    /** The end by which the user was out at last had nothing been broken. */
    Tab.@Nullable Departure lastUndisturbed(Terms terms) {
        Tab.Departure last = null;
        for (Tab tab : tabs) {
            Tab.Departure gone = tab.departure;
            if (gone != null && (last == null || gone.outBy(terms) > last.outBy(terms))) {
                last = gone;
            }
        }
        return last;
    }

    private static long outBy(Tab tab, Timeline timeline, int viewer) {
        Tab.Departure gone = tab.departure;
        return gone == null ? Stopwatch.NEVER : timeline.deadline(gone.at(), gone.cause(), gone.node(), viewer);
    }
}
