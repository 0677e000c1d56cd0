package io.hadir.redis.stats;

import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Loop;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Counts removals over all rooms by hour and reason. Gathers them here and adds them in Redis every few seconds: the
 * total lies in another slot than the rooms, so it cannot be part of their scripts, which count for themselves.
 */
public final class RemovalStatistics {
    private static final Script TALLY = Script.plain("add-removals");
    private static final Duration KEPT = Duration.ofDays(90);
    /** Longer than a command may be under way, or a node cut off and still come back with its counts. */
    private static final Duration KNOWN = Duration.ofDays(1);

    private static final Duration EVERY = Duration.ofSeconds(5);
    private static final long HOURS = 24;

    private final RedisLink link;
    private final InstantSource clock;
    private final Map<String, LongAdder> counted = new HashMap<>();
    private final String last = RedisKeys.lastTally(UUID.randomUUID().toString());
    private Map<Bucket, Long> gathered = new LinkedHashMap<>();
    private @Nullable Tally unsure;
    private boolean sending;
    private long tallies;

    private record Bucket(long hour, String reason) {}

    /** Counts that are added together, once: Redis may have added them although it did not answer. */
    private record Tally(long number, Map<Bucket, Long> counts) {
        List<String> keys(String last) {
            List<String> keys = new ArrayList<>(List.of(last));
            counts.keySet().forEach(bucket -> keys.add(RedisKeys.allRemovals(Math.floorDiv(bucket.hour, HOURS))));
            return keys;
        }

        List<String> arguments() {
            List<String> arguments = new ArrayList<>(
                    List.of(Long.toString(number), Long.toString(KNOWN.toSeconds()), Long.toString(KEPT.toSeconds())));
            counts.forEach((bucket, times) -> {
                arguments.add(Math.floorMod(bucket.hour, HOURS) + ":" + bucket.reason);
                arguments.add(times.toString());
            });
            return arguments;
        }
    }

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
    public void count(String reason) {
        count(reason, reason.isEmpty() ? 0 : 1);
    }

    public synchronized void count(String reason, long times) {
        if (times > 0) {
            LongAdder known = counted.get(reason);
            if (known != null) {
                known.add(times);
            }
            gathered.merge(new Bucket(hour(clock.instant()), reason), times, Long::sum);
        }
    }

    /** Adds to Redis what was gathered since the last time; what may not have been added is sent again the next. */
    public void flush() {
        Tally tally = next();
        if (tally != null) {
            link.write(
                            last,
                            redis -> TALLY.<Long>run(
                                    redis, ScriptOutputType.INTEGER, tally.keys(last), tally.arguments()))
                    .whenComplete((done, failed) -> ended(failed == null));
        }
    }

    /** What is to be sent now, null if that is nothing. There is one at a time, so that the last one tells them all. */
    private synchronized @Nullable Tally next() {
        if (sending) {
            return null;
        }
        if (unsure == null && !gathered.isEmpty()) {
            unsure = new Tally(++tallies, gathered);
            gathered = new LinkedHashMap<>();
        }
        sending = unsure != null;
        return unsure;
    }

    private synchronized void ended(boolean added) {
        sending = false;
        if (added) {
            unsure = null;
        }
    }

    private static long hour(Instant instant) {
        return instant.getEpochSecond() / 3600;
    }
}
