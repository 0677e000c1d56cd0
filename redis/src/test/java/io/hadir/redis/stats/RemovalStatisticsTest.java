package io.hadir.redis.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.testing.TestRedis;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RemovalStatisticsTest {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String DAY = "hadir:{stats}:removals:20000";

    private Instant now = Instant.ofEpochSecond(20_000L * 86_400);
    private final InstantSource clock = () -> now;
    private RedisLink link;
    private RemovalStatistics statistics;

    @BeforeEach
    void connect() {
        link = new RedisLink(RedisAddress.parse(REDIS.url()));
        link.open();
        await().until(link::isUp);
        statistics = new RemovalStatistics(link, clock);
    }

    @AfterEach
    void disconnect() {
        link.close();
    }

    @Test
    void countsAreAddedByHourAndDay() {
        statistics.count("left", 2);
        statistics.count("kicked");
        now = now.plusSeconds(23 * 3_600);
        statistics.count("left");
        now = now.plusSeconds(3_600);
        statistics.count("left");
        statistics.flush();
        await().untilAsserted(() -> {
            assertThat(REDIS.cli().hgetall(DAY)).isEqualTo(Map.of("0:left", "2", "0:kicked", "1", "23:left", "1"));
            assertThat(REDIS.cli().hgetall("hadir:{stats}:removals:20001")).isEqualTo(Map.of("0:left", "1"));
        });
        assertThat(REDIS.cli().ttl(DAY)).isPositive();
    }

    @Test
    void f17_countsSentToAFrozenRedisAreAddedOnceWhenItWakes() throws Exception {
        statistics.count("left", 7);
        REDIS.freeze();
        try {
            statistics.flush();
            await().until(() -> link.failures(RedisFailure.TIMEOUT) > 0 || !link.isUp());
            statistics.flush();
        } finally {
            REDIS.wake();
        }
        await().until(link::isUp);
        statistics.count("kicked");
        await().untilAsserted(() -> {
            statistics.flush();
            assertThat(REDIS.cli().hgetall(DAY)).isEqualTo(Map.of("0:left", "7", "0:kicked", "1"));
        });
    }
}
