package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/**
 * A page of a room's list, and the number of users in the room.
 *
 * @param count what the next pages may know about the number of users
 */
public record Listing(RoomId room, Page page, long viewerCount, PageStart.@Nullable Count count) {
    public Listing(RoomId room, Page page, long viewerCount) {
        this(room, page, viewerCount, null);
    }

    /** Where the next page begins; null on the last page. */
    public @Nullable PageStart next() {
        Position last = page.next();
        return last == null ? null : new PageStart(last, count);
    }
}
