package io.hadir.presence;

import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Stages;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Lists rooms: a page of participants, and how many there are. Completes on the loop. */
final class Listings {
    private static final int FIRST_PAGE = 100;
    private static final int TRIES = 3;

    private final RoomStore store;
    private final LocalRooms rooms;
    private final SharedQuery<RoomStore.Headcount> counts;
    private final SharedQuery<Listing> newcomers;
    private final Loop loop;

    Listings(RoomStore store, LocalRooms rooms, SharedQuery<RoomStore.Headcount> counts, Loop loop) {
        this.store = store;
        this.rooms = rooms;
        this.counts = counts;
        this.newcomers = new SharedQuery<>(room -> first(room, FIRST_PAGE, store::listForNewcomer), loop);
        this.loop = loop;
    }

    CompletionStage<Listing> page(RoomId room, @Nullable Position after, int limit) {
        return after == null
                ? first(room, limit, store::listFirst)
                : Stages.on(loop, store.list(room, after, limit)).thenCompose(page -> counted(room, page));
    }

    /** One of the ways to read a first page. */
    private interface Reading {
        CompletionStage<RoomStore.FirstPage> read(RoomId room, int limit, @Nullable Roster known);
    }

    private CompletionStage<Listing> first(RoomId id, int limit, Reading reading) {
        LocalRoom room = rooms.get(id);
        return Stages.on(loop, reading.read(id, limit, room == null ? null : room.roster()))
                .thenCompose(first -> {
                    Roster everybody = first.everybody();
                    if (everybody == null) {
                        return counted(id, first.page());
                    }
                    if (room != null) {
                        room.remember(everybody);
                    }
                    int viewers = everybody.participants().size();
                    return CompletableFuture.completedFuture(new Listing(id, first.page(), viewers));
                });
    }

    private CompletionStage<Listing> counted(RoomId room, Page page) {
        return counts.about(room).thenApply(count -> new Listing(room, page, count.alive()));
    }

    /** A first page at least as new as the last announcement, which a newcomer may have heard. */
    CompletionStage<Listing> newest(LocalRoom room) {
        return newest(room, TRIES);
    }

    /** The given first page, or a newer one if there was an announcement since. */
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
