package io.hadir.redis.stats;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.HistoryChart;
import io.hadir.presence.stats.HistoryChart.Step;
import io.hadir.presence.stats.HistoryRecorder;
import io.hadir.presence.stats.Tally;
import io.hadir.presence.sweep.SweepReport;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.testing.TestRedis;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HistoryRecorderIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private Server one;
    private Server other;

    @BeforeEach
    void connect() {
        one = new Server();
        other = new Server();
    }

    @AfterEach
    void disconnect() {
        one.close();
        other.close();
    }

    /** A node with the counts of a test. */
    private static final class Server implements AutoCloseable {
        private final RedisLink link = new RedisLink(RedisAddress.parse(REDIS.url()));
        private final AtomicLong joins = new AtomicLong();
        private final AtomicLong kicks = new AtomicLong();
        private final AtomicLong commands = new AtomicLong();
        private final RedisHistoryLog log = new RedisHistoryLog(link);
        private volatile Gauges gauges = Gauges.UNKNOWN;
        private final HistoryRecorder recorder =
                new HistoryRecorder(log, this::counted, () -> CompletableFuture.completedFuture(gauges), link.loop());

        Server() {
            link.open();
            await().until(link::isUp);
        }

        private Tally counted() {
            return new Tally(
                    joins.get(),
                    Map.of(RemovalReason.KICKED, kicks.get(), RemovalReason.LEFT, 0L),
                    Duration.ofMillis(2 * commands.get()),
                    commands.get());
        }

        void sweep(long millis, boolean finished) {
            recorder.swept(new SweepReport(Instant.EPOCH, Duration.ofMillis(millis), null, 0, 0, finished));
        }

        /** Writes until Redis has confirmed it. */
        void write() {
            await().until(() -> {
                long before = failures();
                tryToWrite();
                return failures() == before;
            });
        }

        void tryToWrite() {
            get(recorder.write());
        }

        long failures() {
            return Stream.of(RedisFailure.values()).mapToLong(link::failures).sum();
        }

        /** The minutes of this test that have an entry. */
        List<HistoryChart.Point> points() {
            long now = get(log.now()).getEpochSecond() / 60;
            return get(log.read(Step.MINUTE, now - 10, now + 1)).entrySet().stream()
                    .sorted(Map.Entry.comparingByKey())
                    .map(Map.Entry::getValue)
                    .toList();
        }

        long joined() {
            return points().stream().mapToLong(HistoryChart.Point::joins).sum();
        }

        Map<RemovalReason, Long> left() {
            Map<RemovalReason, Long> sum = new EnumMap<>(RemovalReason.class);
            points().forEach(point -> point.leaves().forEach((reason, n) -> sum.merge(reason, n, Long::sum)));
            return sum;
        }

        Gauges latestGauges() {
            List<HistoryChart.Point> points = points();
            return points.get(points.size() - 1).gauges();
        }

        @Override
        public void close() {
            link.close();
        }
    }

    @Test
    void newCountsOfAllNodesAreAdded() {
        one.joins.set(5);
        one.kicks.set(2);
        one.write();
        one.joins.set(7);
        one.write();
        one.write();
        other.joins.set(100);
        other.write();
        assertThat(one.joined()).isEqualTo(107);
        assertThat(one.left()).isEqualTo(Map.of(RemovalReason.KICKED, 2L));
    }

    @Test
    void everyStepLengthHasTheSameCounts() {
        one.joins.set(5);
        one.gauges = new Gauges(10L, 3L, 12L);
        one.write();
        other.joins.set(2);
        other.write();
        long now = get(one.log.now()).getEpochSecond() / 5;
        List<HistoryChart.Point> steps = get(one.log.read(Step.FIVE_SECONDS, now - 100, now + 1)).values().stream()
                .toList();
        assertThat(steps.stream().mapToLong(HistoryChart.Point::joins).sum())
                .isEqualTo(7)
                .isEqualTo(one.joined());
        assertThat(steps.stream().map(point -> point.at().toEpochMilli() % 5_000))
                .containsOnly(0L);
        assertThat(steps)
                .anySatisfy(step -> assertThat(step.gauges().usersOnline()).isEqualTo(10));
    }

    @Test
    void gaugesAreTheLatestOnesReported() {
        one.gauges = new Gauges(10L, 3L, 12L);
        one.write();
        other.gauges = new Gauges(9L, null, 0L);
        other.write();
        Gauges latest = one.latestGauges();
        assertThat(latest.usersOnline()).isEqualTo(9);
        assertThat(latest.sockets()).isZero();
        one.gauges = Gauges.UNKNOWN;
        one.write();
        assertThat(one.latestGauges().usersOnline()).isEqualTo(9);
    }

    @Test
    void theLongestFinishedSweepIsKept() {
        one.sweep(3, true);
        one.sweep(40, true);
        one.sweep(5, true);
        one.sweep(5_000, false);
        one.write();
        other.sweep(20, true);
        other.write();
        assertThat(one.points().stream().map(HistoryChart.Point::sweep).toList())
                .contains(Duration.ofMillis(40));
        one.write();
        assertThat(one.points().stream().map(HistoryChart.Point::sweep).toList())
                .doesNotContain(Duration.ofMillis(5_000))
                .filteredOn(Duration.ofMillis(40)::equals)
                .hasSize(1);
    }

    @Test
    void latencyIsTheMeanOverAllCommands() {
        one.commands.set(10);
        one.write();
        one.commands.set(30);
        one.write();
        assertThat(one.points().stream().map(HistoryChart.Point::redis).collect(Collectors.toSet()))
                .containsExactly(Duration.ofMillis(2));
    }

    @Test
    void f17_countsSentToAFrozenRedisAreAddedOnceWhenItWakes() throws Exception {
        one.joins.set(5);
        REDIS.freeze();
        try {
            one.tryToWrite();
            one.joins.set(8);
            one.tryToWrite();
        } finally {
            REDIS.wake();
        }
        assertThat(one.failures()).isPositive();
        await().until(one.link::isUp);
        // First the unconfirmed entry, then the rest, then nothing.
        for (int i = 0; i < 3; i++) {
            one.write();
        }
        await().ignoreExceptions().untilAsserted(() -> assertThat(one.joined()).isEqualTo(8));
    }

    @Test
    void theLastEntryOfANodeHasCountsButNoGauges() {
        one.joins.set(3);
        one.gauges = new Gauges(1L, 1L, 1L);
        get(one.recorder.stop());
        assertThat(one.joined()).isEqualTo(3);
        assertThat(one.latestGauges()).isEqualTo(Gauges.UNKNOWN);
    }

    @Test
    void everyKeyExpires() {
        one.joins.set(3);
        one.gauges = new Gauges(1L, 1L, 1L);
        one.write();
        assertThat(REDIS.cli().keys("*"))
                .hasSize(3)
                .allSatisfy(key -> assertThat(REDIS.cli().ttl(key))
                        .as(key)
                        .isBetween(
                                key.contains("-5s") ? 19 * 60L : 23 * 3_600L,
                                key.contains("-5s") ? 20 * 60L : 25 * 3_600L));
    }
}
