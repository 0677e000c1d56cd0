package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.TestRedis;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What others do about a server that died. No scan helps them. */
class DeathIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String NO_SWEEP = "--sweep-seconds=3600";
    private static final Duration OUT = HadirProcess.LEASE.plusSeconds(5);

    /** Presences of a node with a lease, in rooms of ten. */
    private static final String OTHERS = """
            local now = redis.call('TIME')[1] .. '000'
            for n = ARGV[1], ARGV[2] do
              local room, user, socket = 'other-' .. math.floor(n / 10), 'user-' .. n, 'others.' .. n
              redis.call('SET', 'room:presence:' .. room .. ':' .. user, socket, 'EX', 21600)
              redis.call('SET', 'room:' .. room .. ':user:' .. user, '{"turn":1,"socketId":"' .. socket
                .. '","userId":"' .. user .. '","roomId":"' .. room .. '","username":"' .. user .. '","joinedAt":' .. now
                .. ',"lastActiveAt":' .. now .. '}', 'EX', 25200)
              redis.call('ZADD', 'hadir:room:' .. room .. ':index', now, user)
            end
            return 1""";

    @TempDir
    Path folder = Path.of("");

    @Test
    void f64_theUsersOfAKilledServerLeaveInTimeBesideManyOtherPresences() throws Exception {
        REDIS.cli().set("hadir:{nodes}:lease:others", "{}", SetArgs.Builder.ex(3600));
        for (int n = 0; n < 200_000; n += 10_000) {
            REDIS.cli()
                    .eval(
                            OTHERS,
                            ScriptOutputType.INTEGER,
                            new String[0],
                            Integer.toString(n),
                            Integer.toString(n + 9_999));
        }
        try (HadirProcess killed = HadirProcess.start(folder, REDIS.url(), NO_SWEEP);
                HadirProcess other = HadirProcess.start(folder, REDIS.url(), NO_SWEEP)) {
            Guest watcher = Guest.join(other.port(), "watcher", "r");
            Guest.crowd(killed.port(), "lost", 200, "r");
            watcher.settle(201);
            // Long enough for the survivor to judge.
            await().pollDelay(HadirProcess.LEASE).until(() -> true);
            killed.kill();

            await().atMost(OUT).until(() -> watcher.left().size() >= 200);
            assertThat(watcher.list("r")).containsExactly("watcher");
            assertThat(watcher.left())
                    .containsExactlyInAnyOrder(IntStream.range(0, 200)
                            .mapToObj(i -> "lost" + i + " server_gone")
                            .toArray(String[]::new));
            assertThat(REDIS.cli().exists("room:presence:other-0:user-0")).isEqualTo(1);
        }
    }

    @Test
    void f07_aServerThatStoodStillPastItsLeaseIsWhollyOnRecordAgain() throws Exception {
        try (HadirProcess still = HadirProcess.start(folder, REDIS.url(), NO_SWEEP);
                HadirProcess other = HadirProcess.start(folder, REDIS.url(), NO_SWEEP)) {
            Guest watcher = Guest.join(other.port(), "watcher", "r");
            Guest.crowd(still.port(), "u", 20, "r");
            watcher.settle(21);
            still.stop();
            await().atMost(OUT).until(() -> watcher.list("r").equals(List.of("watcher")));
            still.goOn();
            List<Guest> back = Guest.crowd(still.port(), "u", 20, "r");
            await().during(HadirProcess.LEASE.plusSeconds(1))
                    .atMost(Guest.PATIENCE)
                    .until(() -> watcher.list("r").size() == 21);
            assertThat(watcher.left()).hasSize(20);
            assertThat(back).noneMatch(Guest::isGone);

            still.kill();
            await().atMost(OUT).until(() -> watcher.list("r").equals(List.of("watcher")));
            await().untilAsserted(() -> assertThat(watcher.left()).hasSize(40));
        }
    }
}
