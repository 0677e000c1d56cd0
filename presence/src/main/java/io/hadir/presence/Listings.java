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

/** Looks at rooms as they are: a page of who is there, and how many. Completes on the loop. */
final class Listings {
    private static final int FIRST_PAGE = 100;
    private static final int LOOKS = 3;

    private final PresenceStore store;
    private final LocalRooms rooms;
    private final Coalesced<PresenceStore.Headcount> counts;
    private final Coalesced<Listing> newcomers;
    private final Loop loop;

    Listings(PresenceStore store, LocalRooms rooms, Coalesced<PresenceStore.Headcount> counts, Loop loop) {
        this.store = store;
        this.rooms = rooms;
        this.counts = counts;
        this.newcomers = new Coalesced<>(room -> first(room, FIRST_PAGE, store::listForNewcomer), loop);
        this.loop = loop;
    }

    CompletionStage<Listing> page(RoomId room, @Nullable Position after, int limit) {
        return after == null
                ? first(room, limit, store::listFirst)
                : Stages.on(loop, store.list(room, after, limit)).thenCompose(page -> counted(room, page));
    }

    /** One of the ways to get a first page. */
    private interface Look {
        CompletionStage<PresenceStore.FirstPage> at(RoomId room, int limit, @Nullable Roster known);
    }

    private CompletionStage<Listing> first(RoomId id, int limit, Look look) {
        LocalRoom room = rooms.get(id);
        return Stages.on(loop, look.at(id, limit, room == null ? null : room.roster()))
                .thenCompose(first -> {
                    Roster everybody = first.everybody();
                    if (everybody == null) {
                        return counted(id, first.page());
                    }
                    if (room != null) {
                        room.know(everybody);
                    }
                    int viewers = everybody.participants().size();
                    return CompletableFuture.completedFuture(new Listing(id, first.page(), viewers));
                });
    }

    private CompletionStage<Listing> counted(RoomId room, Page page) {
        return counts.about(room).thenApply(count -> new Listing(room, page, count.alive()));
    }

    /** A first page that is no older than what the room's sockets have been told: a newcomer was among them. */
    CompletionStage<Listing> newest(LocalRoom room) {
        return newest(room, LOOKS);
    }

    /** The first page of a while ago, or a newer one if the room's sockets have been told of changes since. */
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
