package io.hadir.redis;

import io.hadir.presence.LeaveReason;
import io.hadir.presence.Loop;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts removals over all rooms by hour and reason. Gathers them here and adds them in Redis every few seconds: the
 * total lies in another slot than the rooms, so it cannot be part of their scripts, which count for themselves.
 */
public final class RemovalStatistics {
    private static final Duration KEPT = Duration.ofDays(90);
    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final long HOURS = 24;

    private final RedisLink link;
    private final InstantSource clock;
    private final Map<String, LongAdder> counted = new HashMap<>();
    private Map<Bucket, Long> gathered = new HashMap<>();

    private record Bucket(long hour, String reason) {}

    public RemovalStatistics(RedisLink link, InstantSource clock) {
        this.link = link;
        this.clock = clock;
        for (LeaveReason reason : LeaveReason.values()) {
            counted.put(reason.wire(), new LongAdder());
        }
    }

    /** How many removals for this reason were counted here since the start. */
    public long counted(LeaveReason reason) {
        return Objects.requireNonNull(counted.get(reason.wire())).sum();
    }

    /** Adds to Redis every few seconds from now on. */
    public void start(Loop loop) {
        loop.after(EVERY, () -> {
            flush();
            start(loop);
        });
    }

    /** Counts one removal; none if there is no reason. */
    void count(String reason) {
        count(reason, reason.isEmpty() ? 0 : 1);
    }

    synchronized void count(String reason, long times) {
        if (times > 0) {
            LongAdder known = counted.get(reason);
            if (known != null) {
                known.add(times);
            }
            gathered.merge(new Bucket(hour(clock.instant()), reason), times, Long::sum);
        }
    }

    /** Adds to Redis what was gathered since the last time; what cannot be added waits for the next. */
    public void flush() {
        take().forEach((bucket, times) -> {
            String key = RedisKeys.allRemovals(Math.floorDiv(bucket.hour, HOURS));
            String field = Math.floorMod(bucket.hour, HOURS) + ":" + bucket.reason;
            link.write(redis ->
                            redis.hincrby(key, field, times).thenCombine(redis.expire(key, KEPT), (sum, set) -> sum))
                    .exceptionally(failed -> {
                        putBack(bucket, times);
                        return 0L;
                    });
        });
    }

    private synchronized Map<Bucket, Long> take() {
        Map<Bucket, Long> taken = gathered;
        gathered = new HashMap<>();
        return taken;
    }

    private synchronized void putBack(Bucket bucket, long times) {
        gathered.merge(bucket, times, Long::sum);
    }

    private static long hour(Instant instant) {
        return instant.getEpochSecond() / 3600;
    }
}
