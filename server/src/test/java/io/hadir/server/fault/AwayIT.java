package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life of a phone whose app is in the background: silence, loss, close, and the death of its server or of Redis.
 */
class AwayIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final long AWAY_SECONDS = 15;
    private static final String[] FLAGS = {
        "--away-seconds", Long.toString(AWAY_SECONDS), "--ping-interval-seconds", "1", "--ping-timeout-seconds", "1"
    };
    /** Longer than a ping timeout, a grace period, a lease and its check. */
    private static final Duration WHILE = Duration.ofSeconds(9);

    private static final String KEY = "room:presence:r:phone";

    @TempDir
    Path folder = Path.of("");

    private HadirProcess server;
    private HadirProcess other;
    private FaultProxy mobile;
    private Guest watcher;
    private Guest phone;
    /** How many messages the watcher had when the phone was in the background. */
    private int told;

    @BeforeEach
    void aPhoneGoesToTheBackground() throws IOException {
        server = HadirProcess.start(folder, REDIS.url(), FLAGS);
        other = HadirProcess.start(folder, REDIS.url(), FLAGS);
        mobile = new FaultProxy(server.port());
        watcher = Guest.join(other.port(), "watcher", "r");
        phone = Guest.join(mobile.port(), "phone", "r");
        assertThat(phone.send("room:pause", "{}")
                        .join()
                        .path("rooms")
                        .path(0)
                        .path("awaySeconds")
                        .asLong())
                .isEqualTo(AWAY_SECONDS);
        await().until(() -> watcher.updated().equals(List.of("phone away")));
        told = watcher.news();
    }

    @AfterEach
    void end() throws IOException {
        phone.close();
        watcher.close();
        mobile.close();
        server.close();
        other.close();
        REDIS.cli().flushall();
    }

    private void assertHeldAsAway() {
        await().atMost(WHILE).until(() -> REDIS.cli().ttl(KEY) <= AWAY_SECONDS);
        await().during(WHILE).atMost(WHILE.multipliedBy(2)).untilAsserted(() -> {
            assertThat(watcher.list("r")).contains("phone");
            assertThat(watcher.left()).isEmpty();
            assertThat(watcher.updated()).containsExactly("phone away");
            assertThat(watcher.news()).as("messages").isEqualTo(told);
        });
    }

    private void assertOutAfterTheGracePeriod() {
        await().atMost(WHILE).untilAsserted(() -> assertThat(watcher.left()).containsExactly("phone disconnected"));
        assertThat(watcher.updated()).containsExactly("phone away");
        assertThat(watcher.list("r")).containsExactly("watcher");
        assertThat(watcher.news()).as("messages").isEqualTo(told + 1);
    }

    @Test
    void aPhoneThatFallsSilentStaysAwayAndLeavesOnceAfterItsTime() throws Exception {
        mobile.freeze();
        assertHeldAsAway();
        assertThat(other.get("/api/v1/rooms/r/participants/phone/explain"))
                .contains("\"held\":true")
                .contains("\"inGrace\":false");
        assertThat(other.get("/api/v1/rooms/r/participants")).contains("\"state\":\"away\"");
        await().atMost(Duration.ofSeconds(AWAY_SECONDS))
                .untilAsserted(() -> assertThat(watcher.left()).containsExactly("phone disconnected"));
        assertThat(watcher.updated()).containsExactly("phone away");
        assertThat(watcher.news()).as("messages").isEqualTo(told + 1);
    }

    @Test
    void aPhoneWhoseConnectionBreaksStaysAwayAndIsActiveWhenItReturns() throws IOException {
        mobile.reset();
        assertHeldAsAway();
        try (Guest back = Guest.join(other.port(), "phone", "r")) {
            await().untilAsserted(() -> assertThat(watcher.updated()).containsExactly("phone away", "phone active"));
            assertThat(REDIS.cli().ttl(KEY)).isGreaterThan(AWAY_SECONDS);
            assertThat(back.list("r")).contains("phone");
        }
        assertThat(watcher.joined()).containsOnlyOnce("phone");
    }

    @Test
    void f01_aPhoneThatClosesItsConnectionIsOutAfterTheGracePeriod() throws IOException {
        mobile.cut();
        assertOutAfterTheGracePeriod();
    }

    @Test
    void f01_aPhoneThatSaysGoodbyeIsOutAfterTheGracePeriod() {
        phone.sayGoodbye();
        assertOutAfterTheGracePeriod();
    }

    @Test
    void f06_aPhoneStaysAwayWhenItsServerIsKilled() {
        server.kill();
        assertHeldAsAway();
    }

    @Test
    void f09_aPhoneStaysAwayWhenItsServerIsShutDown() throws Exception {
        assertThat(server.terminate(Guest.PATIENCE)).isZero();
        assertHeldAsAway();
    }

    @Test
    void f17_aPauseDuringAnOutageOfRedisHoldsAfterIt() throws Exception {
        String url = REDIS.url();
        try (FaultProxy toRedis = new FaultProxy(REDIS.port());
                HadirProcess alone =
                        HadirProcess.start(folder, url.replace(":" + REDIS.port(), ":" + toRedis.port()), FLAGS);
                FaultProxy network = new FaultProxy(alone.port());
                Guest second = Guest.join(network.port(), "second", "r")) {
            toRedis.freeze();
            assertThat(second.send("room:pause", "{\"roomId\":\"r\"}")
                            .join()
                            .path("error")
                            .path("code")
                            .asString())
                    .isEqualTo("presence_unavailable");
            toRedis.heal();
            await().untilAsserted(() -> assertThat(alone.ready()).startsWith("200"));
            network.freeze();
            await().untilAsserted(() -> assertThat(watcher.updated()).contains("second away"));
            await().during(WHILE)
                    .atMost(WHILE.multipliedBy(2))
                    .untilAsserted(() -> assertThat(watcher.list("r")).contains("second"));
            assertThat(watcher.updated().stream().filter(update -> update.startsWith("second")))
                    .containsExactly("second away");
        }
    }
}
