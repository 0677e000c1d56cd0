package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/**
 * A room in which somebody was counted for this answer.
 *
 * @param viewerCount null if it could not be counted, because the part of the store is away in which the room lies
 */
public record OccupiedRoom(RoomId room, @Nullable Long viewerCount) {
    /** Whether somebody is in it, or may be for all that is known. */
    public boolean mayBeOccupied() {
        return viewerCount == null || viewerCount > 0;
    }
}
