package io.hadir.presence;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which rooms somebody is in. The store's list of them is a hint: whoever asks gets only rooms that were counted for
 * the answer.
 *
 * <p>A room is noted after a join and forgotten by the sweep, which counts it once more after it has forgotten it. So
 * one of the two sees the other, and no occupied room stays off the list.
 */
final class Occupancy {
    private static final int LOOKED_AT_ONCE = 200;

    private final PresenceStore store;

    Occupancy(PresenceStore store) {
        this.store = store;
    }

    /**
     * The first occupied rooms behind this one, as many as are wanted or there are.
     *
     * @param over whether nobody waits for the answer any more
     */
    CompletionStage<List<OccupiedRoom>> after(@Nullable RoomId room, int wanted, BooleanSupplier over) {
        return gather(room, wanted, new ArrayList<>(), over);
    }

    private CompletionStage<List<OccupiedRoom>> gather(
            @Nullable RoomId after, int wanted, List<OccupiedRoom> found, BooleanSupplier over) {
        int most = Math.min(LOOKED_AT_ONCE, wanted - found.size());
        return store.occupied(after, most)
                .thenCompose(hinted -> count(hinted).thenCompose(counted -> {
                    counted.stream().filter(room -> room.viewerCount() > 0).forEach(found::add);
                    boolean end = hinted.size() < most || found.size() >= wanted || over.getAsBoolean();
                    return end
                            ? CompletableFuture.completedFuture(found)
                            : gather(hinted.get(hinted.size() - 1), wanted, found, over);
                }));
    }

    /** Forgets rooms in which nobody is. */
    CompletionStage<Void> sweep() {
        return sweep(null);
    }

    private CompletionStage<Void> sweep(@Nullable RoomId after) {
        return store.occupied(after, LOOKED_AT_ONCE)
                .thenCompose(hinted -> count(hinted)
                        .thenCompose(counted -> forget(counted.stream()
                                .filter(room -> room.viewerCount() == 0)
                                .toList()))
                        .thenCompose(done -> hinted.size() < LOOKED_AT_ONCE
                                ? CompletableFuture.completedFuture(null)
                                : sweep(hinted.get(hinted.size() - 1))));
    }

    private CompletionStage<Void> forget(List<OccupiedRoom> empty) {
        List<RoomId> rooms = empty.stream().map(OccupiedRoom::room).toList();
        if (rooms.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return store.forgetOccupied(rooms).thenCompose(done -> count(rooms)).thenCompose(counted -> {
            List<RoomId> back = counted.stream()
                    .filter(room -> room.viewerCount() > 0)
                    .map(OccupiedRoom::room)
                    .toList();
            return back.isEmpty() ? CompletableFuture.completedFuture(null) : store.noteOccupied(back);
        });
    }

    private CompletionStage<List<OccupiedRoom>> count(List<RoomId> rooms) {
        List<CompletableFuture<OccupiedRoom>> counts = rooms.stream()
                .map(room -> store.count(room)
                        .thenApply(count -> new OccupiedRoom(room, count.alive()))
                        .toCompletableFuture())
                .toList();
        return Stages.all(counts)
                .thenApply(done -> counts.stream().map(CompletableFuture::join).toList());
    }
}
