package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class StandstillIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String[] FAST_PINGS = {"--ping-interval-seconds=1", "--ping-timeout-seconds=2"};

    @TempDir
    Path folder = Path.of("");

    @Test
    void f07_aServerThatStoodStillForTenSecondsWithinItsLeaseRemovesNobody() throws Exception {
        try (HadirProcess still =
                        HadirProcess.start(folder, REDIS.url(), FAST_PINGS[0], FAST_PINGS[1], "--lease-seconds=15");
                HadirProcess other = HadirProcess.start(folder, REDIS.url(), "--lease-seconds=15")) {
            Guest watcher = Guest.join(other.port(), "watcher", "r");
            List<Guest> guests = Guest.crowd(still.port(), "u", 30, "r");
            watcher.settle(31);

            still.stop();
            await().during(Duration.ofSeconds(10))
                    .atMost(Guest.PATIENCE)
                    .until(() -> watcher.list("r").size() == 31);
            still.goOn();

            // Two rounds of pings and one sweep: enough to take the users for silent or gone.
            await().during(Duration.ofSeconds(5))
                    .atMost(Guest.PATIENCE)
                    .until(() -> watcher.list("r").size() == 31);
            assertThat(watcher.left()).isEmpty();
            assertThat(watcher.joined()).isEmpty();
            assertThat(guests).allSatisfy(guest -> {
                assertThat(guest.isGone()).isFalse();
                assertThat(guest.heartbeat("r").path("ok").asBoolean()).isTrue();
                assertThat(guest.forceLeaves()).isEmpty();
            });
        }
    }

    @Test
    void f07_usersRemovedWhileTheirServerStoodStillPastItsLeaseAreToldAndMayReturn() throws Exception {
        try (HadirProcess still = HadirProcess.start(folder, REDIS.url());
                HadirProcess other = HadirProcess.start(folder, REDIS.url())) {
            Guest watcher = Guest.join(other.port(), "watcher", "r");
            List<Guest> guests = Guest.crowd(still.port(), "u", 30, "r");
            watcher.settle(31);

            still.stop();
            await().atMost(HadirProcess.LEASE.plusSeconds(5))
                    .until(() -> watcher.list("r").equals(List.of("watcher")));
            still.goOn();

            await().atMost(Duration.ofSeconds(10))
                    .untilAsserted(() -> assertThat(guests)
                            .allSatisfy(guest -> assertThat(guest.forceLeaves()).containsExactly("presence_lost")));
            await().until(() -> watcher.left().size() >= 30);
            assertThat(watcher.left())
                    .hasSize(30)
                    .doesNotHaveDuplicates()
                    .allMatch(left -> left.endsWith("server_gone"));
            List<Guest> back = Guest.crowd(still.port(), "u", 30, "r");
            await().during(HadirProcess.LEASE.plusSeconds(2))
                    .atMost(Guest.PATIENCE)
                    .until(() -> watcher.list("r").size() == 31);
            assertThat(back).allSatisfy(guest -> assertThat(guest.forceLeaves()).isEmpty());
            assertThat(watcher.left()).hasSize(30);
        }
    }

    @Test
    void f02_aClientThatVanishesLeavesOnceAfterPingTimeoutAndGracePeriod() throws Exception {
        try (HadirProcess server = HadirProcess.start(
                        folder, REDIS.url(), "--ping-interval-seconds=1", "--ping-timeout-seconds=1");
                FaultProxy network = new FaultProxy(server.port())) {
            Guest watcher = Guest.join(server.port(), "watcher", "r");
            Guest.join(network.port(), "adi", "r");
            await().until(() -> watcher.joined().contains("adi"));

            network.freeze();
            long vanished = System.nanoTime();
            await().atMost(HadirProcess.GRACE.plusSeconds(2 + 3))
                    .until(() -> !watcher.left().isEmpty());

            assertThat(Duration.ofNanos(System.nanoTime() - vanished)).isGreaterThan(HadirProcess.GRACE);
            assertThat(watcher.list("r")).containsExactly("watcher");
            network.heal();
            await().during(Duration.ofSeconds(2))
                    .atMost(Guest.PATIENCE)
                    .until(() -> watcher.left().equals(List.of("adi disconnected")));
        }
    }
}
