package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class EvictionIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @TempDir
    Path folder = Path.of("");

    @Test
    void f29_anEvictingRedisCausesAWarningAndUsersWithoutAKeyAreTold() throws Exception {
        REDIS.cli().configSet("maxmemory-policy", "allkeys-lru");
        try (HadirProcess server = HadirProcess.start(folder, REDIS.url())) {
            server.awaitReady();
            assertThat(server.log()).contains("WARN", "maxmemory-policy allkeys-lru", "expected: noeviction");
            List<Guest> guests = Guest.crowd(server.port(), "u", 60, "r");

            evict();
            await().atMost(Duration.ofSeconds(15))
                    .untilAsserted(() -> assertThat(guests).allSatisfy(guest -> {
                        boolean present = REDIS.cli().exists("room:presence:r:" + guest.user) == 1;
                        assertThat(guest.forceLeaves()).isEqualTo(present ? List.of() : List.of("presence_lost"));
                    }));

            // The list matches Redis, and everyone may rejoin.
            Guest watcher = Guest.join(server.port(), "watcher", "r");
            assertThat(watcher.list("r"))
                    .hasSize(REDIS.cli().keys("room:presence:r:*").size());
            Guest.crowd(server.port(), "u", 60, "r");
            assertThat(watcher.list("r")).hasSize(61);
        } finally {
            REDIS.cli().configSet("maxmemory-policy", "noeviction");
        }
    }

    /** Fills Redis until it has evicted some presences. */
    private static void evict() {
        long used = REDIS.cli()
                .info("memory")
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring("used_memory:".length()).strip()))
                .findFirst()
                .orElseThrow();
        REDIS.cli().configSet("maxmemory", Long.toString(used + 200_000));
        try {
            String filling = "x".repeat(4000);
            for (int i = 0; REDIS.cli().keys("room:presence:r:*").size() > 40; i++) {
                assertThat(i).as("keys written").isLessThan(20_000);
                REDIS.cli().set("filling:" + i, filling);
            }
        } finally {
            REDIS.cli().configSet("maxmemory", "0");
        }
    }
}
