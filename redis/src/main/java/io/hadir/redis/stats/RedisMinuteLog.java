package io.hadir.redis.stats;

import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.MinuteChart;
import io.hadir.presence.stats.MinuteLog;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The minutes in Redis: a HASH for every hour, with fields for each minute by Redis' clock. */
public final class RedisMinuteLog implements MinuteLog {
    private static final Script ADD = Script.plain("add-history");
    /** Counted from the last entry of an hour. */
    private static final Duration RETENTION = Duration.ofHours(25);
    /** Longer than a command can be under way. */
    private static final Duration ENTRY_KNOWN = Duration.ofDays(1);

    private static final long MINUTES = 60;

    private final RedisLink link;
    private final String last = RedisKeys.lastBatch(UUID.randomUUID().toString());

    public RedisMinuteLog(RedisLink link) {
        this.link = link;
    }

    @Override
    public CompletionStage<Void> add(Entry entry, Gauges gauges) {
        Values values = new Values(new ArrayList<>(List.of(
                link.inRedis(RedisKeys.HISTORY),
                Long.toString(entry.number()),
                Long.toString(ENTRY_KNOWN.toSeconds()),
                Long.toString(RETENTION.toSeconds()))));
        values.add(MinuteFields.JOINS, entry.counts().joins());
        entry.counts().leaves().forEach((reason, count) -> values.add(MinuteFields.leaves(reason), count));
        values.add(
                MinuteFields.REDIS_MICROS,
                TimeUnit.NANOSECONDS.toMicros(entry.counts().redisTime().toNanos()));
        values.add(MinuteFields.REDIS_COMMANDS, entry.counts().redisCommands());
        Duration sweep = entry.sweep();
        values.raise(MinuteFields.SWEEP_MICROS, sweep == null ? null : TimeUnit.NANOSECONDS.toMicros(sweep.toNanos()));
        values.set(MinuteFields.USERS, gauges.usersOnline());
        values.set(MinuteFields.ROOMS, gauges.roomsOccupied());
        values.set(MinuteFields.SOCKETS, gauges.sockets());
        return link.<Long>write(
                        last, redis -> ADD.run(redis, ScriptOutputType.INTEGER, List.of(last), values.arguments))
                .thenAccept(done -> {});
    }

    /** Arguments of the script, three for each value: what to do, the field, the value. */
    private record Values(List<String> arguments) {
        void add(String name, long count) {
            if (count > 0) {
                arguments.addAll(List.of("add", name, Long.toString(count)));
            }
        }

        void raise(String name, @Nullable Long value) {
            if (value != null) {
                arguments.addAll(List.of("raise", name, value.toString()));
            }
        }

        void set(String name, @Nullable Long value) {
            if (value != null) {
                arguments.addAll(List.of("set", name, value.toString()));
            }
        }
    }

    @Override
    public CompletionStage<Instant> now() {
        return link.read(redis -> redis.time()).thenApply(time -> Instant.ofEpochSecond(Long.parseLong(time.get(0))));
    }

    @Override
    public CompletionStage<Map<Long, MinuteChart.Point>> read(long first, long last) {
        CompletionStage<Map<Long, MinuteFields>> all = CompletableFuture.completedFuture(new HashMap<>());
        for (long hour = Math.floorDiv(first, MINUTES); hour <= Math.floorDiv(last, MINUTES); hour++) {
            long firstMinute = hour * MINUTES;
            String key = RedisKeys.history(hour);
            // All are sent at once; only the answers are combined in order.
            CompletionStage<Map<String, String>> read = link.read(key, redis -> redis.hgetall(key));
            all = all.thenCombine(read, (minutes, fields) -> {
                fields.forEach((field, value) -> put(minutes, firstMinute, field, value));
                return minutes;
            });
        }
        return all.thenApply(RedisMinuteLog::points);
    }

    private static void put(Map<Long, MinuteFields> minutes, long firstMinute, String field, String value) {
        int colon = field.indexOf(':');
        String minute = field.substring(0, Math.max(0, colon));
        if (minute.matches("[0-5]?[0-9]") && value.matches("[0-9]{1,18}")) {
            minutes.computeIfAbsent(firstMinute + Long.parseLong(minute), at -> new MinuteFields(new HashMap<>()))
                    .values()
                    .put(field.substring(colon + 1), Long.parseLong(value));
        }
    }

    private static Map<Long, MinuteChart.Point> points(Map<Long, MinuteFields> minutes) {
        Map<Long, MinuteChart.Point> points = new HashMap<>();
        minutes.forEach((minute, fields) ->
                points.put(minute, fields.point(Instant.ofEpochMilli(minute * MinuteChart.STEP.toMillis()))));
        return points;
    }
}
