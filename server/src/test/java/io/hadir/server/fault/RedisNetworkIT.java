package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/** A server, its Redis, and a network between them that fails. */
class RedisNetworkIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Duration NOTICED = Duration.ofSeconds(10);
    /** The time that the contract allows for an answer, and slack for a busy machine. */
    private static final Duration ANSWERED = Duration.ofMillis(2000 + 500);

    @TempDir
    Path folder = Path.of("");

    private FaultProxy network;

    @BeforeEach
    void lay() throws IOException {
        network = new FaultProxy(REDIS.port());
    }

    @AfterEach
    void takeUp() throws IOException {
        network.close();
    }

    private String url() {
        return REDIS.url().replace(":" + REDIS.port(), ":" + network.port());
    }

    @Test
    void f21_aHalfOpenLinkIsDetectedInTimeReportedAndRepairedAndNobodyIsRemoved() throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, url())) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest budi = Guest.join(server.port(), "budi", "r");
            await().until(() -> adi.joined().contains("budi"));
            server.awaitReady();

            network.freeze();
            await().atMost(NOTICED).until(() -> server.ready().startsWith("503 "));
            assertThat(server.ready()).contains("Redis at 127.0.0.1:" + network.port(), "does not answer");
            assertUnavailableInTime(adi, "room:heartbeat", "r");
            assertUnavailableInTime(budi, "join_room", "other");
            // Longer than the lease, so the server finds its own lease gone.
            await().during(HadirProcess.LEASE)
                    .atMost(Guest.PATIENCE)
                    .until(() -> server.ready().startsWith("503 "));

            network.heal();
            server.awaitReady();
            Guest.assertNobodyIsRemoved(adi, budi);
            assertThat(REDIS.cli().keys("room:presence:other:*")).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void f59_droppedPacketsAreDetectedWithinFiveSecondsAndNobodyIsRemoved(Dropped dropped) throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, url(), "--lease-seconds=15");
                HadirProcess other = HadirProcess.start(folder, REDIS.url(), "--lease-seconds=15")) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest budi = Guest.join(other.port(), "budi", "r");
            server.awaitReady();
            other.awaitReady();

            drop(dropped);
            await().atMost(Duration.ofSeconds(5)).until(() -> server.ready().startsWith("503 "));
            assertThat(server.ready()).contains("does not answer");
            network.heal();
            server.awaitReady();
            Guest.assertNobodyIsRemoved(adi, budi);
            assertThat(budi.left()).isEmpty();
        }
    }

    /** The direction in which packets are dropped. */
    enum Dropped {
        ALL,
        ANSWERS,
        REQUESTS
    }

    private void drop(Dropped dropped) {
        switch (dropped) {
            case ALL -> network.freeze();
            case ANSWERS -> network.freezeAnswers();
            case REQUESTS -> network.freezeRequests();
        }
    }

    @Test
    void f59_aLeaseIsRenewedAsSoonAsTheLinkIsBackSoTwoCutsWithinOneLeaseRemoveNobody() throws Exception {
        Duration lease = Duration.ofSeconds(9);
        Duration cut = lease.multipliedBy(2).dividedBy(5);
        String flag = "--lease-seconds=" + lease.toSeconds();
        try (HadirProcess server = HadirProcess.start(folder, url(), flag);
                HadirProcess other = HadirProcess.start(folder, REDIS.url(), flag)) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest budi = Guest.join(other.port(), "budi", "r");
            other.awaitReady();
            String key = "hadir:{nodes}:lease:" + socketOf("adi").replaceFirst("[.].*", "");
            // From now on the other server removes the users of nodes without a lease.
            await().during(lease).atMost(Guest.PATIENCE).until(() -> REDIS.cli().pttl(key) > 0);
            await().until(() -> REDIS.cli().pttl(key) < lease.toMillis() * 7 / 10);

            for (int i = 0; i < 2; i++) {
                network.refuse();
                await().pollDelay(cut).until(() -> true);
                network.heal();
                await().until(() -> server.ready().startsWith("200 "));
                await().atMost(Duration.ofMillis(300)).until(() -> REDIS.cli().pttl(key) > lease.toMillis() * 9 / 10);
            }
            Guest.assertNobodyIsRemoved(adi, budi);
            assertThat(budi.left()).isEmpty();
        }
    }

    @Test
    void f17_aSocketThatVisitsManyRoomsDuringAnOutageQueuesFewDeparturesAndLeavesNoGhost() throws Exception {
        int most = 20;
        try (HadirProcess server = HadirProcess.start(folder, url(), "--rooms-per-socket=" + most)) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            server.awaitReady();
            network.freeze();
            List<CompletableFuture<JsonNode>> late = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                late.add(adi.ask("join_room", "late" + i));
            }
            await().atMost(NOTICED).until(() -> server.ready().startsWith("503 "));
            late.forEach(CompletableFuture::join);

            for (int i = 0; i < 500; i++) {
                assertRefused(adi.ask("join_room", "new" + i).join());
                adi.ask("leave_room", "new" + i).join();
                JsonNode everywhere = adi.send("leave_room", "{\"roomId\":\"any" + i + "\",\"everywhere\":true}")
                        .join();
                if (i >= most) {
                    assertRefused(everywhere);
                }
            }
            assertThat(departures(server)).isBetween(most / 2, most);

            network.heal();
            server.awaitReady();
            await().until(() -> departures(server) == 0);
            await().untilAsserted(() ->
                    assertThat(REDIS.cli().keys("room:presence:*:adi")).containsExactly("room:presence:r:adi"));
            Guest.assertNobodyIsRemoved(adi);
            assertThat(REDIS.cli().keys("room:presence:*:adi")).containsExactly("room:presence:r:adi");
            adi.comeIn("another", 5).join();
        }
    }

    private static void assertRefused(JsonNode answer) {
        JsonNode error = answer.path("error");
        assertThat(error.path("code").asString()).as("%s", answer).isEqualTo("presence_unavailable");
        assertThat(error.path("retryAfterMs").asLong()).isPositive();
    }

    /** How many departures wait for Redis. */
    private static int departures(HadirProcess server) throws IOException, InterruptedException {
        Matcher waiting =
                Pattern.compile("(?m)^hadir_departures_waiting (\\d+)").matcher(server.get("/metrics"));
        assertThat(waiting.find()).isTrue();
        return Integer.parseInt(waiting.group(1));
    }

    private static String socketOf(String user) {
        return REDIS.cli().get("room:presence:r:" + user);
    }

    @Test
    void f21_aResetLinkIsReconnected() throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, url())) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest budi = Guest.join(server.port(), "budi", "r");
            for (int i = 0; i < 5; i++) {
                network.reset();
                await().atMost(Guest.PATIENCE)
                        .until(() -> adi.heartbeat("r").path("ok").asBoolean());
            }
            Guest.assertNobodyIsRemoved(adi, budi);
            Guest.join(server.port(), "citra", "r");
            await().untilAsserted(() -> assertThat(adi.viewerCount()).isEqualTo(3));
        }
    }

    @Test
    void f21_aServerThatStartsWithoutRedisSaysSoAndIsReadyWhenRedisAppears() throws Exception {
        network.refuse();
        try (HadirProcess server = HadirProcess.start(folder, url())) {
            assertThat(server.ready())
                    .startsWith("503 ")
                    .contains("\"not_ready\"", "Redis at 127.0.0.1:" + network.port());
            Guest adi = Guest.connect(server.port(), "adi");
            assertUnavailableInTime(adi, "join_room", "r");
            assertThat(server.isAlive()).isTrue();

            network.heal();
            server.awaitReady();
            adi.comeIn("r", 5).join();
            assertThat(adi.list("r")).containsExactly("adi");
            assertThat(adi.forceLeaves()).isEmpty();
        }
    }

    @Test
    void f33_aChangedPasswordIsReportedAndNobodyIsRemoved() throws Exception {
        String password = REDIS.url().replaceFirst(".*//:", "").replaceFirst("@.*", "");
        try (HadirProcess server = HadirProcess.start(folder, url())) {
            Guest adi = Guest.join(server.port(), "adi", "r");
            Guest budi = Guest.join(server.port(), "budi", "r");
            REDIS.cli().configSet("requirepass", "another");
            try {
                network.cut();
                await().atMost(NOTICED).until(() -> server.ready().contains("the password is wrong"));
                assertThat(server.ready()).startsWith("503 ").doesNotContain(password);
                assertUnavailableInTime(adi, "room:heartbeat", "r");
                assertThat(server.log()).doesNotContain(password);
                // One line for the failure, however often the server retries.
                await().during(Duration.ofSeconds(2))
                        .atMost(Guest.PATIENCE)
                        .until(() -> server.log()
                                        .lines()
                                        .filter(line -> line.contains("the password is wrong"))
                                        .count()
                                == 1);
            } finally {
                REDIS.cli().configSet("requirepass", password);
            }
            server.awaitReady();
            Guest.assertNobodyIsRemoved(adi, budi);
        }
    }

    private static void assertUnavailableInTime(Guest guest, String event, String room) {
        long asked = System.nanoTime();
        JsonNode answer = guest.ask(event, room).join();
        assertThat(answer.path("error").path("code").asString())
                .as("%s", answer)
                .isEqualTo("presence_unavailable");
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(ANSWERED);
    }
}
