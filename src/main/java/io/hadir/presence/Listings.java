package io.hadir.presence;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Looks at rooms as they are: a page of who is there, and how many. Completes on the loop. */
final class Listings {
    private static final int FIRST_PAGE = 100;
    private static final int LOOKS = 3;

    private final PresenceStore store;
    private final Shared<PresenceStore.Headcount> counts;
    private final Shared<Listing> firstPages;
    private final Loop loop;

    Listings(PresenceStore store, Shared<PresenceStore.Headcount> counts, Loop loop) {
        this.store = store;
        this.counts = counts;
        this.firstPages = new Shared<>(room -> listing(room, null, store.listForNewcomer(room, FIRST_PAGE)), loop);
        this.loop = loop;
    }

    CompletionStage<Listing> page(RoomId room, @Nullable Position after, int limit) {
        return listing(room, after, store.list(room, after, limit));
    }

    private CompletionStage<Listing> listing(RoomId room, @Nullable Position after, CompletionStage<Page> found) {
        return found.whenCompleteAsync((page, failed) -> {}, loop).thenCompose(page -> {
            boolean everybody = after == null && page.next() == null;
            return everybody
                    ? CompletableFuture.completedFuture(
                            new Listing(room, page, page.participants().size()))
                    : counts.about(room).thenApply(count -> new Listing(room, page, count.alive()));
        });
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
        return firstPages
                .about(room.id)
                .thenCompose(listing -> isOlder(listing, room) && tries > 1
                        ? newest(room, tries - 1)
                        : CompletableFuture.completedFuture(listing));
    }

    private static boolean isOlder(Listing listing, LocalRoom room) {
        return listing.page().revision() < room.coalescer.told();
    }
}
