package io.hadir.presence.room;

import java.time.Instant;
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

    /**
     * Where a page of a room's list begins.
     *
     * @param after the last position of the page before
     * @param count how many users the room had when an earlier page was read, null if that is not known
     */
    public record PageStart(Position after, @Nullable Count count) {
        /**
         * How many users a room had.
         *
         * @param revision of the room when they were counted
         */
        public record Count(long viewers, long revision, Instant at) {}
    }
}
