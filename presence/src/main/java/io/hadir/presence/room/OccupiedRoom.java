package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/**
 * A room with its number of users, counted for this answer.
 *
 * @param viewerCount null if the part of the store that has the room does not answer
 */
public record OccupiedRoom(RoomId room, @Nullable Long viewerCount) {
    /** False only if the room is known to be empty. */
    public boolean mayBeOccupied() {
        return viewerCount == null || viewerCount > 0;
    }
}
