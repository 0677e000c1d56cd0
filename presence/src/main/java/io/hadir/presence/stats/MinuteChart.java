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

/** How it was over a time, in steps of a minute without a gap. */
public record History(List<Point> points) {
    public static final Duration STEP = Duration.ofMinutes(1);

    private static final Duration USUAL_TIME = Duration.ofHours(3);
    private static final Duration LONGEST_TIME = Duration.ofDays(1);

    /**
     * One minute on all servers.
     *
     * @param gauges as they were last written down in it
     * @param sweep the longest that ended in it, null if none did
     * @param redis how long Redis took for a command on average, null if there was none
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
     * What is asked for.
     *
     * @param from inside the first minute
     * @param to at or behind the end of what is asked for; a minute that begins before it is there as a whole
     */
    record Query(Instant from, Instant to) {
        static Answer<Query> of(@Nullable Instant from, Instant to) {
            Query query = new Query(from == null ? to.minus(USUAL_TIME) : from, to);
            Duration time = Duration.between(query.from, to);
            return time.isNegative() || time.isZero() || time.compareTo(LONGEST_TIME) > 0
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

    static History of(Query query, Map<Long, Point> byMinute) {
        List<Point> points = new ArrayList<>();
        for (long minute = query.firstMinute(); minute < query.endMinute(); minute++) {
            Point known = byMinute.get(minute);
            points.add(known != null ? known : Point.nothing(Instant.ofEpochMilli(minute * STEP.toMillis())));
        }
        return new History(List.copyOf(points));
    }
}
