package io.hadir.presence;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Which rooms somebody is in. The store's list of them is a hint: whoever asks which ones gets only rooms that were
 * counted for the answer.
 *
 * <p>A room is noted after a join and forgotten by the sweep, which counts it once more after it has forgotten it. So
 * one of the two sees the other, and no occupied room stays off the list.
 */
final class Occupancy {
    private static final int LOOKED_AT_ONCE = 200;

    /** For one page; more than a page has, and counted well before the answer is due. */
    private static final int MOST_LOOKED_AT = 2_000;

    private final PresenceStore store;

    Occupancy(PresenceStore store) {
        this.store = store;
    }

    /**
     * The first occupied rooms behind this one. A page may be short, or empty, although there are more: so many empty
     * rooms may be on the list that looking at all of them would take too long.
     */
    CompletionStage<RoomsPage> after(@Nullable RoomId room, int wanted) {
        return gather(
                new Search(wanted, new ArrayList<>()), room, Math.min(LOOKED_AT_ONCE, wanted + 1), MOST_LOOKED_AT);
    }

    private CompletionStage<RoomsPage> gather(Search search, @Nullable RoomId after, int most, int left) {
        return store.occupied(after, most)
                .thenCompose(hinted -> count(hinted).thenCompose(counted -> {
                    counted.stream().filter(room -> room.viewerCount() > 0).forEach(search.found::add);
                    if (hinted.size() < most || search.isFull()) {
                        return CompletableFuture.completedFuture(search.page(null));
                    }
                    RoomId last = hinted.get(hinted.size() - 1);
                    return left <= hinted.size()
                            ? CompletableFuture.completedFuture(search.page(last))
                            : gather(search, last, LOOKED_AT_ONCE, left - hinted.size());
                }));
    }

    private record Search(int wanted, List<OccupiedRoom> found) {
        /** One more than asked for tells that there is a next page. */
        boolean isFull() {
            return found.size() > wanted;
        }

        RoomsPage page(@Nullable RoomId lookedUpTo) {
            return isFull()
                    ? new RoomsPage(
                            List.copyOf(found.subList(0, wanted)),
                            found.get(wanted - 1).room())
                    : new RoomsPage(List.copyOf(found), lookedUpTo);
        }
    }

    /** Forgets rooms in which nobody is. */
    CompletionStage<Void> sweep() {
        return sweep(null);
    }

    private CompletionStage<Void> sweep(@Nullable RoomId after) {
        return store.occupied(after, LOOKED_AT_ONCE)
                .thenCompose(hinted -> forgetEmpty(hinted)
                        .thenCompose(done -> hinted.size() < LOOKED_AT_ONCE
                                ? CompletableFuture.completedFuture(null)
                                : sweep(hinted.get(hinted.size() - 1))));
    }

    /** Forgets those of these rooms in which nobody is. */
    CompletionStage<Void> forgetEmpty(List<RoomId> rooms) {
        return count(rooms)
                .thenCompose(counted -> forget(
                        counted.stream().filter(room -> room.viewerCount() == 0).toList()));
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
