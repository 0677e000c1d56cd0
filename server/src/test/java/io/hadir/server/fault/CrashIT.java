package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class CrashIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Duration OUT = HadirProcess.LEASE.plusSeconds(5);
    private static final int USERS = 200;

    @TempDir
    Path folder = Path.of("");

    @Test
    void f06_theUsersOfAKilledServerLeaveInTimeOnceEachAndNobodyElseDoes() throws Exception {
        try (HadirProcess killed = HadirProcess.start(folder, REDIS.url());
                HadirProcess other = HadirProcess.start(folder, REDIS.url())) {
            Guest watcher = Guest.join(other.port(), "watcher", "r");
            List<Guest> lost = Guest.crowd(killed.port(), "lost", USERS, "r");
            List<Guest> kept = Guest.crowd(other.port(), "kept", USERS, "r");
            await().until(() -> watcher.list("r").size() == 2 * USERS + 1);
            watcher.settle(2 * USERS + 1);

            String[] expected = IntStream.range(0, USERS)
                    .mapToObj(i -> "lost" + i + " server_gone")
                    .toArray(String[]::new);

            long began = System.nanoTime();
            killed.kill();
            await().atMost(OUT.minusNanos(System.nanoTime() - began)).untilAsserted(() -> {
                assertThat(watcher.list("r")).hasSize(USERS + 1);
                assertThat(watcher.left()).containsExactlyInAnyOrder(expected);
            });
            assertThat(lost).allMatch(Guest::isGone);
            // Long enough for another lease check and another sweep to do harm.
            await().during(HadirProcess.LEASE)
                    .atMost(Guest.PATIENCE)
                    .until(() -> watcher.list("r").size() == USERS + 1);
            assertThat(watcher.left()).hasSize(USERS);
            assertThat(kept).allSatisfy(guest -> {
                assertThat(guest.isGone()).isFalse();
                assertThat(guest.forceLeaves()).isEmpty();
                assertThat(guest.heartbeat("r").path("ok").asBoolean()).isTrue();
            });
            assertThat(REDIS.cli().keys("room:presence:r:lost*")).isEmpty();
        }
    }

    @Test
    void f06_afterAKillAndARestartOnlyUsersWhoReturnedAreListed() throws Exception {
        try (HadirProcess killed = HadirProcess.start(folder, REDIS.url())) {
            Guest.crowd(killed.port(), "u", 50, "r");
            killed.kill();
        }
        try (HadirProcess again = HadirProcess.start(folder, REDIS.url())) {
            long started = System.nanoTime();
            List<Guest> back = Guest.crowd(again.port(), "u", 10, "r");
            Guest watcher = back.get(0);
            String[] stay = IntStream.range(0, 10).mapToObj(i -> "u" + i).toArray(String[]::new);

            await().atMost(OUT.minusNanos(System.nanoTime() - started))
                    .untilAsserted(() -> assertThat(watcher.list("r")).containsExactlyInAnyOrder(stay));

            await().during(HadirProcess.LEASE)
                    .atMost(Guest.PATIENCE)
                    .untilAsserted(() -> assertThat(watcher.list("r")).containsExactlyInAnyOrder(stay));
            assertThat(back).allSatisfy(guest -> {
                assertThat(guest.forceLeaves()).isEmpty();
                assertThat(guest.heartbeat("r").path("ok").asBoolean()).isTrue();
            });
        }
    }

    @Test
    void g5_aServerThatStartsOnAnEmptyRedisShowsEmptyRooms() throws Exception {
        try (HadirProcess killed = HadirProcess.start(folder, REDIS.url())) {
            Guest.crowd(killed.port(), "u", 10, "r");
            killed.kill();
        }
        REDIS.cli().flushall();
        try (HadirProcess again = HadirProcess.start(folder, REDIS.url())) {
            Guest stranger = Guest.connect(again.port(), "stranger");
            assertThat(stranger.list("r")).isEmpty();
            assertThat(Guest.join(again.port(), "first", "r").list("r")).containsExactly("first");
        }
    }
}
