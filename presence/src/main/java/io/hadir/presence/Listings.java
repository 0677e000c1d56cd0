package io.hadir.presence;

import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Listing.PageStart;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Stages;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lists rooms: a page of participants, and how many there are. Completes on the loop. */
final class Listings {
    private static final int FIRST_PAGE = 100;
    private static final int TRIES = 3;

    /** How long later pages may rely on a count. */
    private static final Duration COUNT_KEPT = Duration.ofSeconds(5);

    private final RoomStore store;
    private final LocalRooms rooms;
    private final SharedQuery<RoomStore.Headcount> counts;
    private final SharedQuery<Listing> newcomers;
    private final Loop loop;
    private final InstantSource clock;

    Listings(
            RoomStore store,
            LocalRooms rooms,
            SharedQuery<RoomStore.Headcount> counts,
            Loop loop,
            InstantSource clock) {
        this.store = store;
        this.rooms = rooms;
        this.counts = counts;
        this.newcomers = new SharedQuery<>(this::forNewcomer, Listing::viewerCount, loop);
        this.loop = loop;
        this.clock = clock;
    }

    CompletionStage<Listing> page(RoomId room, @Nullable PageStart start, int limit) {
        return start == null
                ? first(room, limit, store::listFirst, counts::about)
                : Stages.on(loop, store.list(room, start.after(), limit)).thenCompose(page -> {
                    PageStart.Count count = start.count();
                    return count != null && isStillTrue(count, page)
                            ? CompletableFuture.completedFuture(new Listing(room, page, count.viewers(), count))
                            : counted(room, page, counts::about);
                });
    }

    /**
     * Whether a later page may use the count of an earlier one: it is moments old, the room has not changed since, and
     * nobody on this page is gone. Otherwise each page of a large room would count all its users again.
     */
    private boolean isStillTrue(PageStart.Count count, Page page) {
        return count.revision() == page.revision()
                && !page.skipped()
                && Duration.between(count.at(), clock.instant()).abs().compareTo(COUNT_KEPT) < 0;
    }

    /** What a join reads of the room. */
    SeatStore.ListRequest request(LocalRoom room) {
        return new SeatStore.ListRequest(FIRST_PAGE, room.roster());
    }

    /** The listing of a first page that was just read. */
    CompletionStage<Listing> of(RoomId id, FirstPage first) {
        return of(id, first, counts::about);
    }

    private CompletionStage<Listing> of(RoomId id, FirstPage first, Counting counting) {
        Roster everybody = first.everybody();
        if (everybody == null) {
            return counted(id, first.page(), counting);
        }
        LocalRoom room = rooms.get(id);
        if (room != null) {
            room.remember(everybody);
        }
        int viewers = everybody.participants().size();
        PageStart.Count count = new PageStart.Count(viewers, everybody.revision(), clock.instant());
        return CompletableFuture.completedFuture(new Listing(id, first.page(), viewers, count));
    }

    /** One of the ways to read a first page. */
    private interface Reading {
        CompletionStage<FirstPage> read(RoomId room, int limit, @Nullable Roster known);
    }

    /** One of the ways to count a room. */
    private interface Counting {
        CompletionStage<RoomStore.Headcount> count(RoomId room);
    }

    private CompletionStage<Listing> first(RoomId id, int limit, Reading reading, Counting counting) {
        LocalRoom room = rooms.get(id);
        return Stages.on(loop, reading.read(id, limit, room == null ? null : room.roster()))
                .thenCompose(first -> of(id, first, counting));
    }

    /** Counts at once: a page that waited for a shared count would be older than the next announcement. */
    private CompletionStage<Listing> forNewcomer(RoomId room) {
        return first(room, FIRST_PAGE, store::listForNewcomer, id -> Stages.on(loop, store.count(id)));
    }

    private CompletionStage<Listing> counted(RoomId room, Page page, Counting counting) {
        return counting.count(room).thenApply(counted -> {
            PageStart.Count count = new PageStart.Count(counted.alive(), counted.revision(), clock.instant());
            return new Listing(room, page, counted.alive(), count);
        });
    }

    /** A first page at least as new as the last announcement, which a newcomer may have heard. */
    CompletionStage<Listing> newest(LocalRoom room) {
        return newest(room, TRIES);
    }

    /**
     * The given first page, or a newer one if there was an announcement since: a newcomer who heard it would miss that
     * change.
     */
    CompletionStage<Listing> orNewest(Listing listing, LocalRoom room) {
        return isOlder(listing, room) ? newest(room) : CompletableFuture.completedFuture(listing);
    }

    private CompletionStage<Listing> newest(LocalRoom room, int tries) {
        return newcomers
                .about(room.id)
                .thenCompose(listing -> isOlder(listing, room) && tries > 1
                        ? newest(room, tries - 1)
                        : CompletableFuture.completedFuture(listing));
    }

    private static boolean isOlder(Listing listing, LocalRoom room) {
        return listing.page().revision() < room.coalescer.told();
    }
}
