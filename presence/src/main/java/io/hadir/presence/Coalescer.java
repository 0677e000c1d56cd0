package io.hadir.presence;

import io.hadir.presence.RoomFeed.ViewerCount;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the changes of one room until they are sent to its sockets. Merges the changes of each user into one or none;
 * revisions still count all of them. Not thread-safe.
 */
final class Coalescer {
    static final Duration SHORTEST = Duration.ofMillis(50);
    private static final Duration LONGEST = Duration.ofSeconds(2);
    private static final int SMALL_ROOM = 100;
    private static final long MICROS_PER_PARTICIPANT = 500;
    private static final long UNKNOWN = -1;

    private final Map<UserId, RoomChange> net = new LinkedHashMap<>();
    private long from = UNKNOWN;
    private long to = UNKNOWN;
    private boolean missed;
    private @Nullable ViewerCount count;

    /**
     * The gathered changes.
     *
     * @param missed whether the batch lacks some changes, of which only the revisions are known
     * @param count how many users there are after the last change, null if that is not known
     */
    record Batch(
            long from,
            long to,
            List<Participant> joined,
            List<RoomChange.Left> left,
            List<Participant> updated,
            boolean missed,
            @Nullable ViewerCount count) {}

    /**
     * How long to gather changes in a room of this size. Larger rooms send less often, because each send costs more.
     */
    static Duration window(long participants) {
        if (participants <= SMALL_ROOM) {
            return SHORTEST;
        }
        Duration window = Duration.ofNanos(participants * MICROS_PER_PARTICIPANT * 1000);
        return window.compareTo(LONGEST) < 0 ? window : LONGEST;
    }

    /**
     * Adds a change; false if it was known already.
     *
     * @param after how many users there are after the change, null if that is not known
     */
    boolean add(RoomChange change, @Nullable ViewerCount after) {
        if (to != UNKNOWN && change.revision() <= to) {
            return false;
        }
        reach(change.revision() - 1);
        to = change.revision();
        count = after;
        RoomChange both = together(net.remove(change.user()), change);
        if (both != null) {
            net.put(change.user(), both);
        }
        return true;
    }

    /** Merges two changes of a user; null if they cancel each other. */
    private static @Nullable RoomChange together(@Nullable RoomChange before, RoomChange change) {
        if (before instanceof RoomChange.Joined) {
            if (change instanceof RoomChange.Left) {
                return null;
            }
            if (change instanceof RoomChange.Updated updated) {
                return new RoomChange.Joined(updated.revision(), updated.participant());
            }
        }
        if (before instanceof RoomChange.Left && change instanceof RoomChange.Joined joined) {
            // The user is back, perhaps with another name.
            return new RoomChange.Updated(joined.revision(), joined.participant());
        }
        return change;
    }

    /** Starts from this revision, unless one is known already. */
    void begin(long revision) {
        if (to == UNKNOWN) {
            reach(revision);
        }
    }

    /** Learns that the room is at this revision; true if changes were missed. */
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
        count = null;
        to = revision;
        return true;
    }

    /** Marks the next batch as incomplete, because changes may have been missed. */
    void miss() {
        missed = true;
        count = null;
    }

    /** The latest revision that this node knows of; -1 if it knows none. */
    long heard() {
        return to;
    }

    /** The revision that the sockets have reached; -1 if none is known. */
    long told() {
        return from;
    }

    boolean hasChanges() {
        return from != to;
    }

    /** Removes and returns the gathered changes; empty if there are none. */
    Optional<Batch> drain() {
        if (!hasChanges()) {
            return Optional.empty();
        }
        List<Participant> joined = new ArrayList<>();
        List<RoomChange.Left> left = new ArrayList<>();
        List<Participant> updated = new ArrayList<>();
        for (RoomChange change : net.values()) {
            if (change instanceof RoomChange.Joined join) {
                joined.add(join.participant());
            } else if (change instanceof RoomChange.Left leave) {
                left.add(leave);
            } else if (change instanceof RoomChange.Updated update) {
                updated.add(update.participant());
            }
        }
        Batch batch = new Batch(from, to, joined, left, updated, missed, count);
        net.clear();
        from = to;
        missed = false;
        return Optional.of(batch);
    }
}
