package io.hadir.presence;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Looks at rooms as they are: a page of who is there, and how many. Completes on the loop. */
final class Listings {
    private static final int FIRST_PAGE = 100;
    private static final int LOOKS = 3;

    private final PresenceStore store;
    private final Counts counts;
    private final Loop loop;

    Listings(PresenceStore store, Counts counts, Loop loop) {
        this.store = store;
        this.counts = counts;
        this.loop = loop;
    }

    CompletionStage<Listing> page(RoomId room, @Nullable Position after, int limit) {
        return store.list(room, after, limit)
                .whenCompleteAsync((page, failed) -> {}, loop)
                .thenCombine(counts.count(room), (page, count) -> new Listing(room, page, count.alive()));
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
        return page(room.id, null, FIRST_PAGE)
                .thenCompose(listing -> isOlder(listing, room) && tries > 1
                        ? newest(room, tries - 1)
                        : CompletableFuture.completedFuture(listing));
    }

    private static boolean isOlder(Listing listing, LocalRoom room) {
        return listing.page().revision() < room.coalescer.told();
    }
}
