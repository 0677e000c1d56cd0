package io.hadir.presence.room;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

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
