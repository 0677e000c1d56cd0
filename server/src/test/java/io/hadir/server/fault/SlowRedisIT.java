package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A server whose Redis, or the way to it, is slow. */
class SlowRedisIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Duration NOTICED = Duration.ofSeconds(10);

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
    void f09_aServerThatStopsWhileRedisDoesNotAnswerLeavesNobodyBehind() throws Exception {
        int users = 300;
        try (HadirProcess other = HadirProcess.start(folder, REDIS.url(), "--sweep-seconds=600")) {
            Guest watcher = Guest.join(other.port(), "watcher", "r");
            try (HadirProcess stopping = HadirProcess.start(folder, url(), "--sweep-seconds=600")) {
                Guest.crowd(stopping.port(), "u", users, "r");
                await().until(() -> watcher.viewerCount() == users + 1);
                network.freezeAnswers();
                assertThat(stopping.terminate(Duration.ofSeconds(30))).isZero();
            }
            await().atMost(HadirProcess.LEASE.plusSeconds(5).plus(HadirProcess.GRACE))
                    .until(() -> watcher.list("r").equals(List.of("watcher")));
        }
    }

    @Test
    void f18_aSlowRedisSlowsAnswersButCausesNoDuplicateJoinAndNoFalseLeave() throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, url())) {
            Guest watcher = Guest.join(server.port(), "watcher", "r");
            Guest adi = Guest.join(server.port(), "adi", "r");
            await().until(() -> watcher.viewerCount() == 2);

            network.delayAnswers(Duration.ofMillis(800));
            List<Guest> slow = List.of(
                    Guest.connect(server.port(), "s0"),
                    Guest.connect(server.port(), "s1"),
                    Guest.connect(server.port(), "s2"));
            List<CompletableFuture<JsonNode>> joins =
                    slow.stream().map(guest -> guest.ask("join_room", "r")).toList();
            for (int i = 0; i < 3; i++) {
                JsonNode beat = adi.heartbeat("r");
                assertThat(beat.path("ok").asBoolean()
                                || beat.path("error").path("code").asString().equals("presence_unavailable"))
                        .as("%s", beat)
                        .isTrue();
            }
            List<Boolean> joined = joins.stream()
                    .map(join -> join.join().path("ok").asBoolean())
                    .toList();
            network.heal();

            // Refused joins left nothing behind; accepted ones are present.
            for (int i = 0; i < slow.size(); i++) {
                String user = slow.get(i).user;
                boolean expected = joined.get(i);
                await().atMost(Duration.ofSeconds(10))
                        .until(() -> watcher.list("r").contains(user) == expected);
            }
            slow.forEach(guest -> guest.comeIn("r", 5).join());
            await().atMost(Duration.ofSeconds(10)).until(() -> watcher.viewerCount() == 5);
            assertThat(watcher.list("r")).containsExactlyInAnyOrder("watcher", "adi", "s0", "s1", "s2");
            assertThat(watcher.left()).noneMatch(left -> left.startsWith("adi") || left.startsWith("watcher"));
            Guest.assertNobodyIsRemoved(adi, watcher);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {600, 800, 1000, 1100})
    void f55_aLinkTooSlowForJoinsIsReportedWithoutFlapping(int millis) throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, url(), "--lease-seconds=15")) {
            server.awaitReady();
            network.delayAnswers(Duration.ofMillis(millis));
            await().atMost(NOTICED).until(() -> server.ready().startsWith("503 "));
            assertThat(server.ready()).contains("Redis at 127.0.0.1:" + network.port());
            await().during(Duration.ofSeconds(5))
                    .atMost(Guest.PATIENCE)
                    .until(() -> server.ready().startsWith("503 "));
            assertThat(server.ready()).containsAnyOf("answers too slowly", "does not answer");

            network.heal();
            await().atMost(NOTICED).until(() -> server.ready().startsWith("200 "));
            Guest.join(server.port(), "adi", "r");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1300, 1500})
    void f55_aSlowLinkThatOutlastsTheLeaseRemovesNobody(int millis) throws Exception {
        String lease = "--lease-seconds=6";
        try (HadirProcess far = HadirProcess.start(folder, url(), lease);
                HadirProcess near = HadirProcess.start(folder, REDIS.url(), lease)) {
            Guest adi = Guest.join(far.port(), "adi", "r");
            Guest budi = Guest.join(near.port(), "budi", "r");
            network.delayAnswers(Duration.ofMillis(millis));
            await().during(Duration.ofSeconds(15))
                    .atMost(Guest.PATIENCE)
                    .until(() -> budi.left().isEmpty() && !adi.isGone());

            network.heal();
            far.awaitReady();
            Guest.assertNobodyIsRemoved(adi, budi);
            assertThat(budi.list("r")).containsExactly("adi", "budi");
        }
    }

    @Test
    void f55_aSlowLinkStaysReadyAsLongAsJoinsSucceed() throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, url(), "--lease-seconds=15")) {
            server.awaitReady();
            network.delayAnswers(Duration.ofSeconds(1));
            await().pollDelay(Duration.ofSeconds(1)).until(() -> server.ready().startsWith("200 "));
            network.heal();
            await().during(Duration.ofSeconds(3))
                    .atMost(Guest.PATIENCE)
                    .until(() -> server.ready().startsWith("200 "));

            network.delayAnswers(Duration.ofMillis(200));
            await().during(Duration.ofSeconds(5))
                    .atMost(Guest.PATIENCE)
                    .until(() -> server.ready().startsWith("200 "));
            assertThat(Guest.connect(server.port(), "adi").join("r").path("ok").asBoolean())
                    .isTrue();
        }
    }

    @Test
    void f18_aRedisThatSleepsForASecondAnswersLaterAndDuplicatesNothing() throws Exception {
        try (HadirProcess server = HadirProcess.start(folder, url())) {
            Guest watcher = Guest.join(server.port(), "watcher", "r");
            Guest adi = Guest.connect(server.port(), "adi");
            CompletableFuture<Void> asleep = CompletableFuture.runAsync(() -> REDIS.cli()
                    .dispatch(
                            CommandType.DEBUG,
                            new StatusOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8).add("SLEEP").add(1)));
            adi.comeIn("r", 5).join();
            asleep.join();
            await().untilAsserted(() -> assertThat(watcher.joined()).containsOnlyOnce("adi"));
            Guest.assertNobodyIsRemoved(adi, watcher);
        }
    }
}
