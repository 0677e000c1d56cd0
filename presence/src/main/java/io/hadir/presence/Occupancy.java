package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomsPage;
import io.hadir.presence.room.RoomsPage.OccupiedRoom;
import io.hadir.presence.room.Stages;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Which rooms are occupied. The directory is a hint: an answer has only rooms that were counted for it.
 *
 * <p>A node adds a room to the directory after a join. The sweep removes it and then counts it once more. So one of
 * the two sees the other, and no occupied room stays off the directory.
 */
public final class Occupancy {
    private static final int READ_AT_ONCE = 200;

    /** Rooms counted for one page: more than a page has, and few enough to answer in time. */
    private static final int MOST_COUNTED = 2_000;

    /** Names compared for one page: a name that does not match costs almost nothing. */
    private static final int MOST_NAMES = 20_000;

    private static final int NAMES_AT_ONCE = 1_000;

    private static final Comparator<OccupiedRoom> LARGEST_FIRST = Comparator.comparing(
                    OccupiedRoom::viewerCount, Comparator.nullsLast(Comparator.<Long>reverseOrder()))
            .thenComparing(room -> room.room().value());

    private final RoomStore store;
    private final RoomDirectory directory;

    public Occupancy(Stores stores) {
        this.store = stores.rooms();
        this.directory = stores.directory();
    }

    /**
     * The first occupied rooms after this one. A page may be short or empty although there are more rooms, because a
     * page reads only a limited part of the directory.
     *
     * @param text what the ids contain, ignoring case; null for all rooms
     */
    public CompletionStage<RoomsPage> after(@Nullable String text, @Nullable RoomId room, int wanted) {
        Search search = new Search(text == null ? "" : text.toLowerCase(Locale.ROOT), wanted, new ArrayList<>());
        int first = text == null ? Math.min(READ_AT_ONCE, wanted + 1) : READ_AT_ONCE;
        return gather(search, room, first, new Work(MOST_NAMES, MOST_COUNTED));
    }

    /**
     * The largest occupied rooms, the largest first. Hints choose the rooms, so that this costs little more with
     * large rooms than with small ones; the order and the numbers are counted.
     *
     * @param text what the ids contain, ignoring case; null for all rooms
     */
    public CompletionStage<RoomsPage> largest(@Nullable String text, int wanted) {
        Search search = new Search(text == null ? "" : text.toLowerCase(Locale.ROOT), wanted, new ArrayList<>());
        return names(search, null, new ArrayList<>(), MOST_NAMES)
                .thenCompose(store::countHints)
                .thenCompose(hints -> count(hints.entrySet().stream()
                        .sorted(Map.Entry.<RoomId, Long>comparingByValue().reversed())
                        .limit(wanted)
                        .map(Map.Entry::getKey)
                        .toList()))
                .thenApply(counted -> new RoomsPage(
                        counted.stream()
                                .filter(OccupiedRoom::mayBeOccupied)
                                .sorted(LARGEST_FIRST)
                                .toList(),
                        null));
    }

    private CompletionStage<List<RoomId>> names(Search search, @Nullable RoomId after, List<RoomId> found, int most) {
        return directory.after(after, NAMES_AT_ONCE).thenCompose(hinted -> {
            hinted.stream().filter(search::matches).forEach(found::add);
            int left = most - hinted.size();
            return hinted.size() < NAMES_AT_ONCE || left <= 0
                    ? CompletableFuture.completedFuture(found)
                    : names(search, hinted.get(hinted.size() - 1), found, left);
        });
    }

    private CompletionStage<RoomsPage> gather(Search search, @Nullable RoomId after, int most, Work work) {
        return directory.after(after, most).thenCompose(hinted -> {
            List<RoomId> matching = hinted.stream().filter(search::matches).toList();
            return count(matching).thenCompose(counted -> {
                counted.stream().filter(OccupiedRoom::mayBeOccupied).forEach(search.found::add);
                if (hinted.size() < most || search.isFull()) {
                    return CompletableFuture.completedFuture(search.page(null));
                }
                RoomId last = hinted.get(hinted.size() - 1);
                Work left = work.less(hinted.size(), matching.size());
                return left.isDone()
                        ? CompletableFuture.completedFuture(search.page(last))
                        : gather(search, last, READ_AT_ONCE, left);
            });
        });
    }

    /** The work left for one page. */
    private record Work(int names, int counts) {
        Work less(int read, int counted) {
            return new Work(names - read, counts - counted);
        }

        boolean isDone() {
            return names <= 0 || counts <= 0;
        }
    }

    private record Search(String text, int wanted, List<OccupiedRoom> found) {
        boolean matches(RoomId room) {
            return text.isEmpty() || room.value().toLowerCase(Locale.ROOT).contains(text);
        }

        /** One room more than wanted shows that there is a next page. */
        boolean isFull() {
            return found.size() > wanted;
        }

        RoomsPage page(@Nullable RoomId readUpTo) {
            return isFull()
                    ? new RoomsPage(
                            List.copyOf(found.subList(0, wanted)),
                            found.get(wanted - 1).room())
                    : new RoomsPage(List.copyOf(found), readUpTo);
        }
    }

    /** Removes those of these rooms that are empty from the directory. */
    public CompletionStage<Void> removeEmpty(List<RoomId> rooms) {
        return count(rooms)
                .thenCompose(counted -> remove(
                        counted.stream().filter(room -> !room.mayBeOccupied()).toList()));
    }

    private CompletionStage<Void> remove(List<OccupiedRoom> empty) {
        List<RoomId> rooms = empty.stream().map(OccupiedRoom::room).toList();
        if (rooms.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return directory.remove(rooms).thenCompose(done -> count(rooms)).thenCompose(counted -> {
            List<RoomId> back = counted.stream()
                    .filter(OccupiedRoom::mayBeOccupied)
                    .map(OccupiedRoom::room)
                    .toList();
            return back.isEmpty() ? CompletableFuture.completedFuture(null) : directory.add(back);
        });
    }

    private CompletionStage<List<OccupiedRoom>> count(List<RoomId> rooms) {
        List<CompletableFuture<OccupiedRoom>> counts = new ArrayList<>();
        store.count(rooms)
                .forEach((room, counted) -> counts.add(occupied(room, counted).toCompletableFuture()));
        return Stages.all(counts)
                .thenApply(done -> counts.stream().map(CompletableFuture::join).toList());
    }

    private CompletionStage<OccupiedRoom> occupied(RoomId room, CompletionStage<RoomStore.Headcount> counted) {
        return counted.thenApply(count -> new OccupiedRoom(room, count.alive()))
                .exceptionallyCompose(failed -> store.isAvailable(room)
                        ? CompletableFuture.failedStage(failed)
                        : CompletableFuture.completedStage(new OccupiedRoom(room, null)));
    }
}
