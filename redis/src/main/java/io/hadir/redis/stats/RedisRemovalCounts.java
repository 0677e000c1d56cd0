package io.hadir.redis.stats;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.stats.RemovalCounts;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads the removals that the room scripts count for each room, and {@link RemovalStatistics} for all. */
public final class RedisRemovalCounts implements RemovalCounts {
    private static final long HOURS = 24;

    private final RedisLink link;
    private final RedisKeys keys;

    public RedisRemovalCounts(RedisLink link) {
        this.link = link;
        this.keys = new RedisKeys(link.isCluster());
    }

    @Override
    public CompletionStage<Map<Long, Map<RemovalReason, Long>>> read(
            @Nullable RoomId room, long firstDay, long lastDay) {
        CompletionStage<Map<Long, Map<RemovalReason, Long>>> all = CompletableFuture.completedFuture(new HashMap<>());
        for (long day = firstDay; day <= lastDay; day++) {
            long firstHour = day * HOURS;
            String key = room == null ? RedisKeys.allRemovals(day) : keys.removals(room) + day;
            // All are sent at once; only the answers are combined in order.
            CompletionStage<Map<String, String>> counted = link.read(key, redis -> redis.hgetall(key));
            all = all.thenCombine(counted, (hours, fields) -> {
                fields.forEach((field, count) -> add(hours, firstHour, field, count));
                return hours;
            });
        }
        return all;
    }

    private static void add(Map<Long, Map<RemovalReason, Long>> hours, long firstHour, String field, String count) {
        int colon = field.indexOf(':');
        Optional<RemovalReason> reason = RemovalReason.fromWire(field.substring(colon + 1));
        if (reason.isPresent()
                && field.substring(0, Math.max(0, colon)).matches("[0-9]{1,2}")
                && count.matches("[0-9]{1,18}")) {
            hours.computeIfAbsent(
                            firstHour + Long.parseLong(field.substring(0, colon)),
                            hour -> new EnumMap<>(RemovalReason.class))
                    .merge(reason.get(), Long.parseLong(count), Long::sum);
        }
    }
}
