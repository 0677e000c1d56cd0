package io.hadir.presence.stats;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The removals of a period, in consecutive buckets.
 *
 * @param totals over all buckets; like the buckets, without reasons that did not occur
 */
public record Removals(List<Bucket> buckets, Map<RemovalReason, Long> totals) {
    private static final long HOUR = Duration.ofHours(1).toMillis();

    /** The removals from this time until the next bucket. */
    public record Bucket(Instant at, Map<RemovalReason, Long> counts) {}

    /** The length of a bucket. Days are UTC days. */
    public enum Size {
        HOUR(Duration.ofHours(1)),
        DAY(Duration.ofDays(1));

        private final long millis;

        Size(Duration length) {
            millis = length.toMillis();
        }
    }

    /**
     * A period, extended to whole buckets.
     *
     * @param from a time in the first bucket
     * @param to the exclusive end
     * @param room null for all rooms
     */
    public record Query(
            Instant from, Instant to, Size size, @Nullable RoomId room) {
        private long firstBucket() {
            return Math.floorDiv(from.toEpochMilli(), size.millis);
        }

        private long endBucket() {
            return -Math.floorDiv(-to.toEpochMilli(), size.millis);
        }

        long firstDay() {
            return Math.floorDiv(firstBucket() * size.millis, Size.DAY.millis);
        }

        long lastDay() {
            return Math.floorDiv(endBucket() * size.millis - 1, Size.DAY.millis);
        }
    }

    static Removals of(Query query, Map<Long, Map<RemovalReason, Long>> byHour) {
        Map<RemovalReason, Long> totals = new EnumMap<>(RemovalReason.class);
        List<Bucket> buckets = new ArrayList<>();
        long hours = query.size.millis / HOUR;
        for (long bucket = query.firstBucket(); bucket < query.endBucket(); bucket++) {
            Map<RemovalReason, Long> counts = new EnumMap<>(RemovalReason.class);
            for (long hour = bucket * hours; hour < (bucket + 1) * hours; hour++) {
                byHour.getOrDefault(hour, Map.of()).forEach((reason, n) -> counts.merge(reason, n, Long::sum));
            }
            counts.forEach((reason, n) -> totals.merge(reason, n, Long::sum));
            buckets.add(new Bucket(Instant.ofEpochMilli(bucket * query.size.millis), counts));
        }
        return new Removals(List.copyOf(buckets), totals);
    }
}
