package io.hadir.presence;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Gathers the changes of one room until it is time to tell them. A join and a leave of one user cancel each other, but
 * both count in the revisions. Not for use by several threads.
 */
final class Coalescer {
    private static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int SMALL_ROOM = 100;
    private static final long MICROS_PER_PARTICIPANT = 500;
    private static final long UNKNOWN = -1;

    private final Map<UserId, RoomChange> net = new LinkedHashMap<>();
    private long from = UNKNOWN;
    private long to = UNKNOWN;
    private boolean missed;

    /**
     * What is to be told.
     *
     * @param missed whether there were changes among these of which only the revision is known
     */
    record Batch(long from, long to, List<Participant> joined, List<RoomChange.Left> left, boolean missed) {}

    /** How long changes are gathered in a room of this size, so that large rooms cost no more than small ones. */
    static Duration window(long participants) {
        if (participants <= SMALL_ROOM) {
            return SHORTEST;
        }
        Duration window = Duration.ofNanos(participants * MICROS_PER_PARTICIPANT * 1000);
        return window.compareTo(LONGEST) < 0 ? window : LONGEST;
    }

    /** Takes a change; false if it was known already. */
    boolean add(RoomChange change) {
        if (to != UNKNOWN && change.revision() <= to) {
            return false;
        }
        reach(change.revision() - 1);
        to = change.revision();
        RoomChange before = net.remove(change.user());
        boolean cancelled = before != null && before.getClass() != change.getClass();
        if (!cancelled) {
            net.put(change.user(), change);
        }
        return true;
    }

    /** Takes this revision as the one that everybody knows, unless one was heard of before. */
    void begin(long revision) {
        if (to == UNKNOWN) {
            reach(revision);
        }
    }

    /** Learns that the room is at this revision; true if that was news. */
    boolean reach(long revision) {
        if (to == UNKNOWN) {
            from = revision;
            to = revision;
            return false;
        }
        if (revision <= to) {
            return false;
        }
        missed = true;
        to = revision;
        return true;
    }

    /** The revision up to which changes have been told, or need not be; -1 if none has been heard of. */
    long told() {
        return from;
    }

    boolean hasChanges() {
        return from != to;
    }

    /** What has been gathered; empty if there is nothing to tell. */
    Optional<Batch> drain() {
        if (!hasChanges()) {
            return Optional.empty();
        }
        List<Participant> joined = new ArrayList<>();
        List<RoomChange.Left> left = new ArrayList<>();
        for (RoomChange change : net.values()) {
            if (change instanceof RoomChange.Joined join) {
                joined.add(join.participant());
            } else if (change instanceof RoomChange.Left leave) {
                left.add(leave);
            }
        }
        Batch batch = new Batch(from, to, joined, left, missed);
        net.clear();
        from = to;
        missed = false;
        return Optional.of(batch);
    }
}
