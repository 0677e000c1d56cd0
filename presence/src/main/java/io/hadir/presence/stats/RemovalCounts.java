package io.hadir.presence.stats;

import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.RoomId;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** How many users were removed from rooms, by hour and reason. */
public interface RemovalLog {
    /**
     * What was counted on some days.
     *
     * @param room null for all rooms
     * @param firstDay in days since the epoch, as the last one, which is included
     * @return counts by hours since the epoch; hours in which nobody was removed are not there
     */
    CompletionStage<Map<Long, Map<LeaveReason, Long>>> read(@Nullable RoomId room, long firstDay, long lastDay);
}
