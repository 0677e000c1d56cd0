package io.hadir.presence.stats;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The numbers of users removed from rooms, by hour and reason. */
public interface RemovalCounts {
    /**
     * Reads the counts of some days.
     *
     * @param room null for all rooms
     * @param firstDay in days since the epoch
     * @param lastDay inclusive, in days since the epoch
     * @return counts by hours since the epoch, without the hours that have no removals
     */
    CompletionStage<Map<Long, Map<RemovalReason, Long>>> read(@Nullable RoomId room, long firstDay, long lastDay);
}
