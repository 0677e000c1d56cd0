package io.hadir.redis.stats;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.HistoryChart;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The values of one step by field. Unknown fields are ignored. */
record HistoryFields(Map<String, Long> values) {
    static final String JOINS = "joins";
    static final String REDIS_MICROS = "redis:micros";
    static final String REDIS_COMMANDS = "redis:commands";
    static final String SWEEP_MICROS = "sweep:micros";
    static final String USERS = "users";
    static final String ROOMS = "rooms";
    static final String SOCKETS = "sockets";

    static String leaves(RemovalReason reason) {
        return "leaves:" + reason.wire();
    }

    HistoryChart.Point point(Instant at) {
        return new HistoryChart.Point(
                at,
                new Gauges(values.get(USERS), values.get(ROOMS), values.get(SOCKETS)),
                values.getOrDefault(JOINS, 0L),
                leaves(),
                micros(values.get(SWEEP_MICROS)),
                redis());
    }

    private Map<RemovalReason, Long> leaves() {
        Map<RemovalReason, Long> leaves = new EnumMap<>(RemovalReason.class);
        for (RemovalReason reason : RemovalReason.values()) {
            Long count = values.get(leaves(reason));
            if (count != null && count > 0) {
                leaves.put(reason, count);
            }
        }
        return leaves;
    }

    private @Nullable Duration redis() {
        long commands = values.getOrDefault(REDIS_COMMANDS, 0L);
        Long time = values.get(REDIS_MICROS);
        return commands == 0 || time == null
                ? null
                : Duration.of(time, ChronoUnit.MICROS).dividedBy(commands);
    }

    private static @Nullable Duration micros(@Nullable Long time) {
        return time == null ? null : Duration.of(time, ChronoUnit.MICROS);
    }
}
