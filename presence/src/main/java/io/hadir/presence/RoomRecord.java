package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Keeps the record of the rooms in which this node has sockets. A room is added before its first join is sent. It is
 * removed between one and two renewals after its last socket has left, unless a departure from it still waits for
 * Redis. Lives on the loop.
 */
final class RoomRecord {
    private static final int AT_ONCE = 500;

    private final String self;
    private final NodeRooms store;
    private final Departures departures;
    private final Loop loop;
    private final Set<RoomId> rooms = new HashSet<>();
    /** Rooms that may not be on record, because adding them failed. */
    private final Set<RoomId> missing = new HashSet<>();
    /** Rooms without sockets that are on record: those that ended since the last renewal, and those before. */
    private Set<RoomId> ending = new HashSet<>();

    private Set<RoomId> ended = new HashSet<>();
    /** Rooms without sockets that may be on record, because removing them failed. */
    private final Set<RoomId> surplus = new HashSet<>();
    /** Whether any room may be missing from the record. */
    private boolean doubtful;

    RoomRecord(String self, NodeRooms store, Departures departures, Loop loop) {
        this.self = self;
        this.store = store;
        this.departures = departures;
        this.loop = loop;
    }

    /** This node has a socket in a room. */
    void open(RoomId room) {
        rooms.add(room);
        surplus.remove(room);
        boolean recorded = ending.remove(room) || ended.remove(room);
        if (!recorded) {
            add(List.of(room));
        }
    }

    /** This node has no socket in a room any more. */
    void close(RoomId room) {
        rooms.remove(room);
        (missing.remove(room) ? surplus : ending).add(room);
    }

    /**
     * Keeps the record, and repairs it if a part is missing.
     *
     * @param doubt whether any part may be missing, because Redis may have lost it or gone back to older data
     */
    CompletionStage<Void> renew(boolean doubt) {
        doubtful |= doubt;
        return Stages.on(loop, store.renew(self))
                .thenCompose(kept -> {
                    boolean whole = !doubtful && kept;
                    Set<RoomId> added = Set.copyOf(whole ? missing : rooms);
                    missing.clear();
                    doubtful = false;
                    if (!whole) {
                        surplus.addAll(ending);
                        surplus.addAll(ended);
                        ending.clear();
                        ended.clear();
                    }
                    return Stages.inSlices(List.copyOf(added), AT_ONCE, this::add);
                })
                .thenCompose(done -> removeEnded());
    }

    private CompletionStage<Void> add(List<RoomId> added) {
        List<RoomId> current = added.stream().filter(rooms::contains).toList();
        if (current.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return Stages.on(loop, store.add(self, current)).exceptionally(failed -> {
            current.forEach(this::doubt);
            return null;
        });
    }

    /** A room may not be on record. */
    private void doubt(RoomId room) {
        if (rooms.contains(room)) {
            missing.add(room);
        } else if (ending.remove(room) || ended.remove(room)) {
            surplus.add(room);
        }
    }

    private CompletionStage<Void> removeEnded() {
        Set<RoomId> left = departures.rooms();
        Set<RoomId> over = new HashSet<>(surplus);
        surplus.clear();
        over.addAll(ended);
        ended = ending;
        ending = new HashSet<>();
        for (RoomId room : left) {
            if (over.remove(room)) {
                surplus.add(room);
            }
        }
        return Stages.inSlices(List.copyOf(over), AT_ONCE, this::remove);
    }

    private CompletionStage<Void> remove(List<RoomId> removed) {
        List<RoomId> over =
                removed.stream().filter(room -> !rooms.contains(room)).toList();
        if (over.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return Stages.on(loop, store.remove(self, over)).exceptionally(failed -> {
            over.stream().filter(room -> !rooms.contains(room)).forEach(surplus::add);
            return null;
        });
    }
}
