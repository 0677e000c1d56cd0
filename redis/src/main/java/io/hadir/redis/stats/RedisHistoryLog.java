package io.hadir.redis.stats;

import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.HistoryChart;
import io.hadir.presence.stats.HistoryChart.Step;
import io.hadir.presence.stats.HistoryLog;
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

/**
 * The history in Redis: a HASH for every 60 steps, with fields for each step by Redis' clock. So a HASH of minutes is
 * an hour, and one of five seconds is five minutes.
 */
public final class RedisHistoryLog implements HistoryLog {
    private static final Script ADD = Script.plain("add-history");
    /** Longer than a command can be under way. */
    private static final Duration ENTRY_KNOWN = Duration.ofDays(1);

    private static final long STEPS = 60;

    private final RedisLink link;
    private final String last = RedisKeys.lastBatch(UUID.randomUUID().toString());

    public RedisHistoryLog(RedisLink link) {
        this.link = link;
    }

    @Override
    public CompletionStage<Void> add(Entry entry, Gauges gauges) {
        Values values = new Values(
                new ArrayList<>(List.of(Long.toString(entry.number()), Long.toString(ENTRY_KNOWN.toSeconds()))));
        for (Step step : Step.values()) {
            values.arguments.addAll(List.of(
                    link.inRedis(RedisKeys.history(step.length())),
                    Long.toString(step.length().toSeconds()),
                    Long.toString(retention(step).toSeconds())));
        }
        values.add(HistoryFields.JOINS, entry.counts().joins());
        entry.counts().leaves().forEach((reason, count) -> values.add(HistoryFields.leaves(reason), count));
        values.add(
                HistoryFields.REDIS_MICROS,
                TimeUnit.NANOSECONDS.toMicros(entry.counts().redisTime().toNanos()));
        values.add(HistoryFields.REDIS_COMMANDS, entry.counts().redisCommands());
        Duration sweep = entry.sweep();
        values.raise(HistoryFields.SWEEP_MICROS, sweep == null ? null : TimeUnit.NANOSECONDS.toMicros(sweep.toNanos()));
        values.set(HistoryFields.USERS, gauges.usersOnline());
        values.set(HistoryFields.ROOMS, gauges.roomsOccupied());
        values.set(HistoryFields.SOCKETS, gauges.sockets());
        return link.<Long>write(
                        last, redis -> ADD.run(redis, ScriptOutputType.INTEGER, List.of(last), values.arguments))
                .thenAccept(done -> {});
    }

    /** How long a HASH stays after its last entry. */
    private static Duration retention(Step step) {
        return step == Step.MINUTE ? Duration.ofHours(25) : Duration.ofMinutes(20);
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
        return link.time();
    }

    @Override
    public CompletionStage<Map<Long, HistoryChart.Point>> read(Step step, long first, long last) {
        CompletionStage<Map<Long, HistoryFields>> all = CompletableFuture.completedFuture(new HashMap<>());
        for (long hash = Math.floorDiv(first, STEPS); hash <= Math.floorDiv(last, STEPS); hash++) {
            long firstStep = hash * STEPS;
            String key = RedisKeys.history(step.length()) + hash;
            // All are sent at once; only the answers are combined in order.
            CompletionStage<Map<String, String>> read = link.read(key, redis -> redis.hgetall(key));
            all = all.thenCombine(read, (steps, fields) -> {
                fields.forEach((field, value) -> put(steps, firstStep, field, value));
                return steps;
            });
        }
        return all.thenApply(steps -> points(step, steps));
    }

    private static void put(Map<Long, HistoryFields> steps, long first, String field, String value) {
        int colon = field.indexOf(':');
        String step = field.substring(0, Math.max(0, colon));
        if (step.matches("[0-5]?[0-9]") && value.matches("[0-9]{1,18}")) {
            steps.computeIfAbsent(first + Long.parseLong(step), at -> new HistoryFields(new HashMap<>()))
                    .values()
                    .put(field.substring(colon + 1), Long.parseLong(value));
        }
    }

    private static Map<Long, HistoryChart.Point> points(Step length, Map<Long, HistoryFields> steps) {
        Map<Long, HistoryChart.Point> points = new HashMap<>();
        steps.forEach((step, fields) -> points.put(step, fields.point(length.start(step))));
        return points;
    }
}
