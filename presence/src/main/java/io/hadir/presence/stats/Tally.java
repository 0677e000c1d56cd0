package io.hadir.presence.stats;

import io.hadir.presence.room.RemovalReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a node has counted, since its start or between two entries.
 *
 * @param joins users who joined a room
 * @param leaves users who left a room or were removed from it, by reason
 * @param redisTime the total time of the commands that Redis answered
 * @param redisCommands their number
 */
public record Tally(long joins, Map<RemovalReason, Long> leaves, Duration redisTime, long redisCommands) {
    static final Tally NOTHING = new Tally(0, Map.of(), Duration.ZERO, 0);

    Tally minus(Tally before) {
        Map<RemovalReason, Long> since = new EnumMap<>(RemovalReason.class);
        leaves.forEach((reason, count) -> since.put(reason, count - before.leaves.getOrDefault(reason, 0L)));
        return new Tally(
                joins - before.joins, since, redisTime.minus(before.redisTime), redisCommands - before.redisCommands);
    }
}
