package io.hadir.presence.room;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of the list of occupied rooms, ordered by id. A page before the last may be short or empty.
 *
 * @param next the room after which the next page begins, null on the last page
 */
public record RoomsPage(List<OccupiedRoom> rooms, @Nullable RoomId next) {
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
}
