package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.embedded.EmbeddedSentinels;
import io.hadir.testing.Signals;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.sentinel.api.sync.RedisSentinelCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis with replicas and sentinels that choose its primary. */
class SentinelIT {
    private static final String LEASE = "--lease-seconds=4";
    private static final Duration A_LEASE = Duration.ofSeconds(4);

    @TempDir
    Path folder = Path.of("");

    @Test
    void f35_whenThePrimaryIsKilledAReplicaTakesOverAndNobodyIsRemoved() throws Exception {
        try (EmbeddedSentinels redis = EmbeddedSentinels.start();
                RedisClient client = RedisClient.create();
                HadirProcess a = HadirProcess.start(folder, redis.url(), LEASE).awaitReady();
                HadirProcess b = HadirProcess.start(folder, redis.url(), LEASE).awaitReady();
                Follower adi = new Follower(a.port(), "adi", "r").comeIn();
                Follower budi = new Follower(b.port(), "budi", "r").comeIn()) {
            await().until(() -> adi.sees().contains("budi"));
            client.connect(RedisURI.create(redis.primary().url())).sync().waitForReplication(2, 20_000);
            List<RedisSentinelCommands<String, String>> sentinels = new ArrayList<>();
            for (EmbeddedRedis sentinel : redis.sentinels()) {
                sentinels.add(
                        client.connectSentinel(RedisURI.create(sentinel.url())).sync());
            }

            // Until this is over, no replica is promoted.
            downAfter(sentinels, Duration.ofMinutes(5));
            Signals.kill(redis.primary().process());
            for (HadirProcess server : List.of(a, b)) {
                await().until(() -> server.ready().startsWith("503 ")
                        && server.ready().contains(EmbeddedSentinels.NAME)
                        && server.ready().contains("nothing listens there"));
            }
            assertThat(adi.heartbeat()).isFalse();
            // Leases expire while they cannot be renewed.
            await().pollDelay(A_LEASE).until(() -> true);
            downAfter(sentinels, Duration.ofSeconds(1));
            a.awaitReady();
            b.awaitReady();

            await().during(A_LEASE.multipliedBy(3).dividedBy(2))
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> {
                        assertThat(adi.left()).isEmpty();
                        assertThat(budi.left()).isEmpty();
                        assertThat(adi.forceLeaves()).isEmpty();
                        assertThat(budi.forceLeaves()).isEmpty();
                        return true;
                    });
            assertThat(adi.heartbeat()).isTrue();
            assertThat(budi.heartbeat()).isTrue();
            assertThat(adi.list()).containsExactlyInAnyOrder("adi", "budi");

            Guest citra = Guest.join(b.port(), "citra", "r");
            // By name, or in a list that the server asks for: after a failover, it may have missed a change.
            await().until(() -> adi.sees().equals(Set.of("adi", "budi", "citra")));
            RedisCommands<String, String> cli = primary(client, redis);
            assertThat(cli.keys("room:presence:*"))
                    .hasSize(3)
                    .allSatisfy(key -> assertThat(cli.pttl(key)).isPositive());
            cli.del("room:presence:r:citra");
            assertThat(adi.list()).containsExactlyInAnyOrder("adi", "budi");

            // A user who disconnects now is noticed as usual.
            b.kill();
            await().atMost(Duration.ofSeconds(60)).until(() -> adi.list().equals(List.of("adi")));
            await().until(() -> adi.sees().equals(Set.of("adi")));
            assertThat(citra.isGone()).isTrue();
        }
    }

    @Test
    void f60_aHangingSentinelFirstInTheUrlDoesNotDelayTheRecovery() throws Exception {
        try (EmbeddedSentinels redis = EmbeddedSentinels.start();
                RedisClient client = RedisClient.create();
                HadirProcess server = HadirProcess.start(folder, redis.url(), "--lease-seconds=15")
                        .awaitReady()) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            client.connect(RedisURI.create(redis.primary().url())).sync().waitForReplication(2, 20_000);
            ProcessHandle first = redis.sentinels().get(0).process();
            assertThat(redis.url()).contains("@" + redis.sentinels().get(0).address() + ",");
            Signals.freeze(first);
            try {
                Signals.kill(redis.primary().process());
                await().until(() -> server.ready().startsWith("503 "));
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> server.ready().startsWith("200 "));
            } finally {
                Signals.wake(first);
            }
            assertThat(adi.heartbeat("r").path("ok").asBoolean()).isTrue();
            assertThat(adi.forceLeaves()).isEmpty();
        }
    }

    private static void downAfter(List<RedisSentinelCommands<String, String>> sentinels, Duration silence) {
        String millis = Long.toString(silence.toMillis());
        sentinels.forEach(sentinel -> sentinel.set(EmbeddedSentinels.NAME, "down-after-milliseconds", millis));
    }

    private static RedisCommands<String, String> primary(RedisClient client, EmbeddedSentinels redis) {
        for (EmbeddedRedis replica : redis.replicas()) {
            RedisCommands<String, String> cli =
                    client.connect(RedisURI.create(replica.url())).sync();
            if (cli.info("replication").contains("role:master")) {
                return cli;
            }
        }
        throw new AssertionError("there is no primary");
    }
}
