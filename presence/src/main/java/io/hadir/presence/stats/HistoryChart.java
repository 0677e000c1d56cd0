package io.hadir.presence.stats;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RemovalReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One point for every step of a period, for charts. */
public record HistoryChart(Step step, List<Point> points) {
    /** The time that a point covers, and how far back there are points. */
    public enum Step {
        /** Matches the interval at which nodes record. */
        FIVE_SECONDS(Duration.ofSeconds(5), Duration.ofMinutes(15), Duration.ofMinutes(15), "15 minutes"),
        MINUTE(Duration.ofMinutes(1), Duration.ofHours(3), Duration.ofDays(1), "24 hours");

        private final Duration length;
        private final Duration usual;
        private final Duration longest;
        private final String longestInWords;

        Step(Duration length, Duration usual, Duration longest, String longestInWords) {
            this.length = length;
            this.usual = usual;
            this.longest = longest;
            this.longestInWords = longestInWords;
        }

        public Duration length() {
            return length;
        }

        /** When a step begins, which is given in steps since the epoch. */
        public Instant start(long step) {
            return Instant.ofEpochMilli(step * length.toMillis());
        }
    }

    /**
     * One step on all servers.
     *
     * @param gauges as last recorded in the step
     * @param sweep the duration of the longest sweep that ended in the step, null if none did
     * @param redis the average time of a Redis command, null if there was none
     */
    public record Point(
            Instant at,
            Gauges gauges,
            long joins,
            Map<RemovalReason, Long> leaves,
            @Nullable Duration sweep,
            @Nullable Duration redis) {
        static Point nothing(Instant at) {
            return new Point(at, Gauges.UNKNOWN, 0, Map.of(), null, null);
        }
    }

    /**
     * A period, extended to whole steps.
     *
     * @param from a time in the first step
     * @param to the exclusive end
     */
    record Query(Step step, Instant from, Instant to) {
        static Answer<Query> of(Step step, @Nullable Instant from, Instant to) {
            Query query = new Query(step, from == null ? to.minus(step.usual) : from, to);
            Duration time = Duration.between(query.from, to);
            return time.isNegative() || time.isZero() || time.compareTo(step.longest) > 0
                    ? Answer.refused(
                            PresenceError.invalid("from", "a time before to, by at most " + step.longestInWords))
                    : Answer.ok(query);
        }

        long first() {
            return Math.floorDiv(from.toEpochMilli(), step.length.toMillis());
        }

        long end() {
            return -Math.floorDiv(-to.toEpochMilli(), step.length.toMillis());
        }
    }

    static HistoryChart of(Query query, Map<Long, Point> byStep) {
        List<Point> points = new ArrayList<>();
        for (long step = query.first(); step < query.end(); step++) {
            Point known = byStep.get(step);
            points.add(known != null ? known : Point.nothing(query.step.start(step)));
        }
        return new HistoryChart(query.step, List.copyOf(points));
    }
}
