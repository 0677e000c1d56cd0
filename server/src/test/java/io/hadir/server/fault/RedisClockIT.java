package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.torture.BreakableRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** The clock of Redis jumps. Needs Debian's libfaketime and redis-tools, which {@code ./verify} installs if it can. */
@EnabledIf(
        value = "io.hadir.torture.BreakableRedis#hasClock",
        disabledReason = "no libfaketime and redis-tools of Debian")
class RedisClockIT {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration SWEEP = Duration.ofSeconds(2);

    /** Longer than a grace period, a lease and a sweep: a user wrongly removed is gone by then. */
    private static final Duration A_WHILE = HadirProcess.LEASE.plus(SWEEP).plusSeconds(2);

    private static final Duration OUT = HadirProcess.GRACE.plus(SWEEP).plusSeconds(3);
    private static final Duration DEAD = HadirProcess.LEASE.plus(SWEEP).plusSeconds(5 + 3);

    @TempDir
    Path folder = Path.of("");

    @Test
    void f56_aClockThatJumpsAnHourForwardAndBackKeepsNoGhostAndRemovesNobody() throws Exception {
        jump(HOUR, Duration.ZERO);
    }

    @Test
    void f56_aClockThatJumpsAnHourBackAndForwardKeepsNoGhostAndRemovesNobody() throws Exception {
        jump(HOUR.negated(), Duration.ZERO);
    }

    private void jump(Duration... clocks) throws Exception {
        try (BreakableRedis redis = new BreakableRedis(folder);
                HadirProcess a = server(redis);
                HadirProcess b = server(redis);
                Follower adi = in(a, "adi");
                Follower budi = in(b, "budi")) {
            for (Duration clock : clocks) {
                Follower closes = in(a, "closes");
                HadirProcess dies = server(redis);
                Follower dead = in(dies, "dead");
                closes.close();
                dies.kill();
                redis.setClock(clock);

                await().atMost(OUT).until(() -> !budi.list().contains("closes"));
                await().atMost(DEAD).until(() -> !budi.list().contains("dead"));
                Set<String> stay = Set.of("adi", "budi");
                await().during(A_WHILE).atMost(Guest.PATIENCE).until(() -> everybodySees(stay, adi, budi));
                assertThat(adi.heartbeat()).isTrue();
                assertThat(budi.heartbeat()).isTrue();
                assertThat(adi.left())
                        .as("nobody who is present was announced as left")
                        .doesNotContainAnyElementsOf(stay);
                assertThat(List.of(adi, budi))
                        .allSatisfy(user -> assertThat(user.forceLeaves()).isEmpty());
                dead.close();
            }
        }
    }

    private static boolean everybodySees(Set<String> stay, Follower... users) {
        for (Follower user : users) {
            assertThat(user.forceLeaves()).as("%s", user.user()).isEmpty();
            if (!user.sees().equals(stay) || !new TreeSet<>(user.list()).equals(stay)) {
                return false;
            }
        }
        return true;
    }

    private HadirProcess server(BreakableRedis redis) throws Exception {
        return HadirProcess.start(folder, "redis://127.0.0.1:" + redis.port()).awaitReady();
    }

    private static Follower in(HadirProcess server, String user) {
        return new Follower(server.port(), user, "r").comeIn();
    }
}
