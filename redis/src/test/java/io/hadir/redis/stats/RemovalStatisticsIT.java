package io.hadir.redis.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.testing.TestRedis;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RemovalStatisticsIT {
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

    private void count(String reason, int times) {
        for (int i = 0; i < times; i++) {
            statistics.count(new Seat(new RoomId("r"), new UserId("u" + i)), reason);
        }
    }

    @Test
    void theListenerHearsEveryRemoval() {
        List<String> heard = new ArrayList<>();
        statistics.listen((seat, reason) -> heard.add(seat.user() + " " + reason.wire()));
        count("left", 2);
        count("", 1);
        assertThat(heard).containsExactly("u0 left", "u1 left");
    }

    @Test
    void countsAreAddedByHourAndDay() {
        count("left", 2);
        count("kicked", 1);
        now = now.plusSeconds(23 * 3_600);
        count("left", 1);
        now = now.plusSeconds(3_600);
        count("left", 1);
        statistics.flush();
        await().untilAsserted(() -> {
            assertThat(REDIS.cli().hgetall(DAY)).isEqualTo(Map.of("0:left", "2", "0:kicked", "1", "23:left", "1"));
            assertThat(REDIS.cli().hgetall("hadir:{stats}:removals:20001")).isEqualTo(Map.of("0:left", "1"));
        });
        assertThat(REDIS.cli().ttl(DAY)).isPositive();
    }

    @Test
    void f17_countsSentToAFrozenRedisAreAddedOnceWhenItWakes() throws Exception {
        count("left", 7);
        REDIS.freeze();
        try {
            statistics.flush();
            await().until(() -> link.failures(RedisFailure.TIMEOUT) > 0 || !link.isUp());
            statistics.flush();
        } finally {
            REDIS.wake();
        }
        await().until(link::isUp);
        count("kicked", 1);
        await().untilAsserted(() -> {
            statistics.flush();
            assertThat(REDIS.cli().hgetall(DAY)).isEqualTo(Map.of("0:left", "7", "0:kicked", "1"));
        });
    }
}
