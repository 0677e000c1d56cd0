package io.hadir.presence.sweep;

import io.hadir.presence.Occupancy;
import io.hadir.presence.Stores;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The repairs of one scan or one audit. One that fails does not stop the others, but is remembered. */
final class Repairs {
    static final int ROOMS_AT_ONCE = 100;

    private static final System.Logger LOG = System.getLogger(Repairs.class.getName());
    private static final int DIRECTORY_AT_ONCE = 500;

    private final Stores stores;
    private final PresenceScan scan;
    private final Occupancy occupancy;
    private volatile boolean unbroken = true;

    Repairs(Stores stores, PresenceScan scan) {
        this.stores = stores;
        this.scan = scan;
        this.occupancy = new Occupancy(stores);
    }

    /** Whether every step so far has succeeded. */
    boolean isUnbroken() {
        return unbroken;
    }

    /** Continues after a failure. */
    CompletionStage<Void> tolerate(CompletionStage<Void> step) {
        return step.exceptionally(failed -> {
            unbroken = false;
            return null;
        });
    }

    /** Remembers a failure, and passes it on. */
    CompletionStage<Boolean> watch(CompletionStage<Boolean> step) {
        return step.whenComplete((good, failed) -> {
            if (failed != null || !good) {
                unbroken = false;
            }
        });
    }

    /** Repairs rooms that have a key of the wrong type or content. */
    CompletionStage<Void> repairRooms(List<RoomId> unsound) {
        return Stages.all(unsound.stream()
                .map(room -> tolerate(stores.rooms().repair(room)))
                .toList());
    }

    /** Announces users who have hints and no presence, and adds occupied rooms to the directory. */
    CompletionStage<Void> repairHints(List<RoomId> rooms) {
        Queue<RoomId> occupied = new ConcurrentLinkedQueue<>();
        List<CompletionStage<Void>> checked = new ArrayList<>();
        stores.rooms()
                .count(rooms)
                .forEach((room, counted) -> checked.add(tolerate(counted.thenCompose(count -> {
                    if (count.alive() > 0) {
                        occupied.add(room);
                    }
                    return count.dead().isEmpty()
                            ? CompletableFuture.completedFuture(null)
                            : stores.rooms().announceExpired(room, count.dead(), null);
                }))));
        return Stages.all(checked)
                .thenCompose(done ->
                        tolerate(Stages.inSlices(List.copyOf(occupied), DIRECTORY_AT_ONCE, stores.directory()::add)));
    }

    /** Removes those of these rooms that are empty from the directory. */
    CompletionStage<Void> removeEmpty(List<RoomId> rooms) {
        return occupancy.removeEmpty(rooms);
    }

    /** Makes these users' online keys expire in time; completes with true. */
    CompletionStage<Boolean> limitOnline(Set<UserId> users) {
        if (users.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        return scan.limitOnline(users).thenApply(done -> {
            LOG.log(Level.WARNING, "Repaired online keys of users that did not expire in time: " + users.size());
            return true;
        });
    }
}
