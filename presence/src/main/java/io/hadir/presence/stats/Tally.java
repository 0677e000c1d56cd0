package io.hadir.presence.stats;

import io.hadir.presence.room.LeaveReason;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * What a server has counted, since its start or between two looks.
 *
 * @param joins users who came into a room
 * @param leaves users who went out of one, by reason
 * @param redisTime how long Redis took for the commands that it answered
 * @param redisCommands how many these were
 */
public record Tally(long joins, Map<LeaveReason, Long> leaves, Duration redisTime, long redisCommands) {
    static final Tally NOTHING = new Tally(0, Map.of(), Duration.ZERO, 0);

    Tally minus(Tally before) {
        Map<LeaveReason, Long> since = new EnumMap<>(LeaveReason.class);
        leaves.forEach((reason, count) -> since.put(reason, count - before.leaves.getOrDefault(reason, 0L)));
        return new Tally(
                joins - before.joins, since, redisTime.minus(before.redisTime), redisCommands - before.redisCommands);
    }
}
