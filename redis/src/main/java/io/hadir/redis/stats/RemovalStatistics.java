package io.hadir.redis.stats;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.Seat;
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
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the removals of all rooms by hour and reason, and adds the counts to Redis every few seconds. The room scripts
 * count only for their own room, because the totals are in another slot.
 */
public final class RemovalStatistics {
    private static final Script ADD = Script.plain("add-removals");
    private static final Duration RETENTION = Duration.ofDays(90);
    /** Longer than a node can be cut off and still come back with its counts. */
    private static final Duration BATCH_KNOWN = Duration.ofDays(1);

    private static final Duration FLUSH_EVERY = Duration.ofSeconds(5);
    private static final long HOURS = 24;

    private final RedisLink link;
    private final InstantSource clock;
    private final Map<String, LongAdder> counted = new HashMap<>();
    private final String last = RedisKeys.lastBatch(UUID.randomUUID().toString());
    private Map<Bucket, Long> gathered = new LinkedHashMap<>();
    private BiConsumer<Seat, RemovalReason> listener = (seat, reason) -> {};
    private @Nullable Batch unconfirmed;
    private boolean sending;
    private long batches;

    private record Bucket(long hour, String reason) {}

    /** Counts that Redis adds in one step, and only once even if they are sent again for lack of an answer. */
    private record Batch(long number, Map<Bucket, Long> counts) {
        List<String> keys(String last) {
            List<String> keys = new ArrayList<>(List.of(last));
            counts.keySet().forEach(bucket -> keys.add(RedisKeys.allRemovals(Math.floorDiv(bucket.hour, HOURS))));
            return keys;
        }

        List<String> arguments() {
            List<String> arguments = new ArrayList<>(List.of(
                    Long.toString(number),
                    Long.toString(BATCH_KNOWN.toSeconds()),
                    Long.toString(RETENTION.toSeconds())));
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
        for (RemovalReason reason : RemovalReason.values()) {
            counted.put(reason.wire(), new LongAdder());
        }
    }

    /** The number of removals for this reason that this node has counted since its start. */
    public long counted(RemovalReason reason) {
        return Objects.requireNonNull(counted.get(reason.wire())).sum();
    }

    /** Adds the counts to Redis every few seconds from now on. */
    public void start(Loop loop) {
        loop.after(FLUSH_EVERY, () -> {
            flush();
            start(loop);
        });
    }

    /** Sets who hears of every removal that this node counts; called once, before the start. */
    public void listen(BiConsumer<Seat, RemovalReason> newListener) {
        listener = newListener;
    }

    /** Counts one removal; none if the reason is empty. */
    public void count(Seat seat, String reason) {
        if (!reason.isEmpty()) {
            add(reason);
            RemovalReason.fromWire(reason).ifPresent(known -> listener.accept(seat, known));
        }
    }

    private synchronized void add(String reason) {
        LongAdder known = counted.get(reason);
        if (known != null) {
            known.increment();
        }
        gathered.merge(new Bucket(hour(clock.instant()), reason), 1L, Long::sum);
    }

    /** Adds the latest counts to Redis. A batch without an answer is sent again the next time. */
    public void flush() {
        Batch batch = next();
        if (batch != null) {
            link.write(
                            last,
                            redis ->
                                    ADD.<Long>run(redis, ScriptOutputType.INTEGER, batch.keys(last), batch.arguments()))
                    .whenComplete((done, failed) -> ended(failed == null));
        }
    }

    /** The batch to send now; null if there is none. Only one is under way, so the last number covers all before it. */
    private synchronized @Nullable Batch next() {
        if (sending) {
            return null;
        }
        if (unconfirmed == null && !gathered.isEmpty()) {
            unconfirmed = new Batch(++batches, gathered);
            gathered = new LinkedHashMap<>();
        }
        sending = unconfirmed != null;
        return unconfirmed;
    }

    private synchronized void ended(boolean added) {
        sending = false;
        if (added) {
            unconfirmed = null;
        }
    }

    private static long hour(Instant instant) {
        return instant.getEpochSecond() / 3600;
    }
}
