package io.hadir.presence.stats;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.PresenceError;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One point for every minute of a period, for charts. */
public record MinuteChart(List<Point> points) {
    public static final Duration STEP = Duration.ofMinutes(1);

    private static final Duration DEFAULT_PERIOD = Duration.ofHours(3);
    private static final Duration LONGEST_PERIOD = Duration.ofDays(1);

    /**
     * One minute on all servers.
     *
     * @param gauges as last recorded in the minute
     * @param sweep the duration of the longest sweep that ended in the minute, null if none did
     * @param redis the average time of a Redis command, null if there was none
     */
    public record Point(
            Instant at,
            Gauges gauges,
            long joins,
            Map<LeaveReason, Long> leaves,
            @Nullable Duration sweep,
            @Nullable Duration redis) {
        static Point nothing(Instant at) {
            return new Point(at, Gauges.UNKNOWN, 0, Map.of(), null, null);
        }
    }

    /**
     * A period, extended to whole minutes.
     *
     * @param from a time in the first minute
     * @param to the exclusive end
     */
    record Query(Instant from, Instant to) {
        static Answer<Query> of(@Nullable Instant from, Instant to) {
            Query query = new Query(from == null ? to.minus(DEFAULT_PERIOD) : from, to);
            Duration time = Duration.between(query.from, to);
            return time.isNegative() || time.isZero() || time.compareTo(LONGEST_PERIOD) > 0
                    ? Answer.refused(PresenceError.invalid("from", "a time before to, by at most 24 hours"))
                    : Answer.ok(query);
        }

        long firstMinute() {
            return Math.floorDiv(from.toEpochMilli(), STEP.toMillis());
        }

        long endMinute() {
            return -Math.floorDiv(-to.toEpochMilli(), STEP.toMillis());
        }
    }

    static MinuteChart of(Query query, Map<Long, Point> byMinute) {
        List<Point> points = new ArrayList<>();
        for (long minute = query.firstMinute(); minute < query.endMinute(); minute++) {
            Point known = byMinute.get(minute);
            points.add(known != null ? known : Point.nothing(Instant.ofEpochMilli(minute * STEP.toMillis())));
        }
        return new MinuteChart(List.copyOf(points));
    }
}
