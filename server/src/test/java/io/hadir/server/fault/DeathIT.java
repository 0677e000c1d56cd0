package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestCluster;
import io.hadir.testing.TestRedis;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Servers that die and are started again where they ran, and what others do in the meantime. No scan helps any of them. */
class DeathIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String SIGNS = "hadir:{nodes}:signs";
    private static final String NO_SWEEP = "--sweep-seconds=3600";
    private static final String LONG_LEASE = "--lease-seconds=60";
    private static final String LONG_GRACE = "--grace-seconds=20";
    private static final Duration OUT = HadirProcess.LEASE.plusSeconds(5);
    private static final int USERS = 60;

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

    private final int port = freePort();

    private static int freePort() {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return free.getLocalPort();
        } catch (IOException failed) {
            throw new AssertionError(failed);
        }
    }

    private HadirProcess start(String... flags) throws IOException {
        String[] all = IntStream.range(0, flags.length + 2)
                .mapToObj(i -> i == 0 ? "--port=" + port : i == 1 ? NO_SWEEP : flags[i - 2])
                .toArray(String[]::new);
        return HadirProcess.start(folder, REDIS.url(), all);
    }

    /** What the list says at the moment at which a server is ready. */
    private static String listWhenReady(HadirProcess server) throws Exception {
        server.awaitReady();
        return server.get("/api/v1/rooms/r/participants?limit=1000");
    }

    @Test
    void f63_afterADowntimeLongerThanTheGracePeriodTheListIsCleanWhenTheServerIsReady() throws Exception {
        try (HadirProcess killed = start(LONG_LEASE)) {
            Guest.crowd(killed.port(), "u", USERS, "r");
            killed.kill();
        }
        Thread.sleep(HadirProcess.GRACE.plusMillis(500).toMillis());
        assertThat(REDIS.cli().keys("room:presence:r:*")).hasSize(USERS);

        try (HadirProcess again = start(LONG_LEASE)) {
            assertThat(listWhenReady(again)).startsWith("200 ").contains("\"participants\":[]");
            assertThat(REDIS.cli().keys("room:presence:r:*")).isEmpty();
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> again.get("/api/v1/stats/removals").contains("\"server_gone\":" + USERS));
            assertThat(REDIS.cli().smembers("hadir:{nodes}:known")).hasSize(1);
        }
    }

    @Test
    void f63_afterAQuickRestartUsersWhoReturnAreNeverSeenToLeaveAndTheOthersLeave() throws Exception {
        try (HadirProcess other = HadirProcess.start(folder, REDIS.url(), NO_SWEEP, LONG_LEASE, LONG_GRACE)) {
            Guest watcher = Guest.join(other.port(), "watcher", "r");
            try (HadirProcess killed = start(LONG_LEASE, LONG_GRACE)) {
                Guest.crowd(killed.port(), "u", USERS, "r");
                watcher.settle(USERS + 1);
                killed.kill();
            }
            try (HadirProcess again = start(LONG_LEASE, LONG_GRACE)) {
                assertThat(listWhenReady(again)).contains("\"u0\"");
                List<Guest> back = Guest.crowd(again.port(), "u", USERS / 2, "r");

                await().atMost(Duration.ofSeconds(25))
                        .until(() -> watcher.left().size() >= USERS / 2);
                assertThat(watcher.left())
                        .containsExactlyInAnyOrder(IntStream.range(USERS / 2, USERS)
                                .mapToObj(i -> "u" + i + " disconnected")
                                .toArray(String[]::new));
                assertThat(watcher.joined()).isEmpty();
                assertThat(watcher.list("r")).hasSize(USERS / 2 + 1);
                assertThat(back).allSatisfy(guest -> {
                    assertThat(guest.forceLeaves()).isEmpty();
                    assertThat(guest.heartbeat("r").path("ok").asBoolean()).isTrue();
                });
            }
        }
    }

    @Test
    void f63_nobodyIsRemovedEarlyIfThePredecessorRanOnAnotherMachine() throws Exception {
        isNotCleanedUpEarly(process -> process.replaceFirst("\"process\":\"\\w{16}", "\"process\":\"0123456789abcdef"));
    }

    @Test
    void f63_nobodyIsRemovedEarlyIfThePredecessorListenedElsewhere() throws Exception {
        isNotCleanedUpEarly(process -> process.replace("127.0.0.1:" + port, "127.0.0.1:1"));
    }

    @Test
    void f63_nobodyIsRemovedEarlyIfThePredecessorHadOtherProcessIds() throws Exception {
        isNotCleanedUpEarly(process -> process.replaceFirst("pid:\\[\\d+", "pid:[1"));
    }

    @Test
    void f63_nobodyIsRemovedEarlyIfNothingIsKnownAboutThePredecessor() throws Exception {
        isNotCleanedUpEarly(process -> process.replaceFirst(",\"process\":\"[^\"]*\"", ""));
    }

    @Test
    void f63_nobodyIsRemovedEarlyIfAnotherMachineWithTheSameIdWasAliveJustNow() throws Exception {
        isNotCleanedUpEarly(process -> process.replaceFirst(bootId(), "00000000-0000-0000-0000-000000000000"));
    }

    @Test
    void f63_aProcessThatRunsIsNotGone() throws Exception {
        String stat = Files.readString(Path.of("/proc/self/stat"));
        String started = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1)[19];
        String running = ProcessHandle.current().pid() + " " + started;
        isNotCleanedUpEarly(process -> process.replaceFirst(" \\d+ \\d+ 127", " " + running + " 127"));
    }

    private static String bootId() {
        String sign = REDIS.cli().hvals(SIGNS).get(0);
        return Pattern.compile("[0-9a-f]{8}-[0-9a-f-]{27}")
                .matcher(sign)
                .results()
                .findFirst()
                .orElseThrow()
                .group();
    }

    /** Changes what a killed server has said about its process, and starts another one that must wait for the lease. */
    private void isNotCleanedUpEarly(UnaryOperator<String> change) throws Exception {
        String lease = "--lease-seconds=10";
        try (HadirProcess killed = start(lease)) {
            Guest.crowd(killed.port(), "u", USERS, "r");
            killed.kill();
        }
        String sign = REDIS.cli().hget(SIGNS, nodeOfTheUsers());
        assertThat(change.apply(sign)).isNotEqualTo(sign);
        REDIS.cli().hset(SIGNS, nodeOfTheUsers(), change.apply(sign));
        try (HadirProcess again = start(lease).awaitReady()) {
            long ready = System.nanoTime();
            // Until its link has been good for a lease, a server judges nobody.
            await().during(Duration.ofSeconds(5))
                    .atMost(Guest.PATIENCE)
                    .until(() -> REDIS.cli().keys("room:presence:r:*").size() == USERS);
            await().atMost(Duration.ofSeconds(15).minusNanos(System.nanoTime() - ready))
                    .until(() -> REDIS.cli().keys("room:presence:r:*").isEmpty());
            assertThat(again.log()).doesNotContain("which ran here before");
        }
    }

    private static String nodeOfTheUsers() {
        return REDIS.cli().get("room:presence:r:u0").replaceFirst("\\..*", "");
    }

    @Test
    void f63_aProcessIdThatIsUsedAgainKeepsNobodyPresent() throws Exception {
        try (HadirProcess killed = start(LONG_LEASE)) {
            Guest.crowd(killed.port(), "u", USERS, "r");
            killed.kill();
            String node = nodeOfTheUsers();
            String sign = REDIS.cli().hget(SIGNS, node);
            String own = " " + ProcessHandle.current().pid() + " ";
            assertThat(sign).contains(" " + killed.pid() + " ");
            REDIS.cli().hset(SIGNS, node, sign.replace(" " + killed.pid() + " ", own));
        }
        Thread.sleep(HadirProcess.GRACE.plusMillis(500).toMillis());
        try (HadirProcess again = start(LONG_LEASE)) {
            assertThat(listWhenReady(again)).contains("\"participants\":[]");
        }
    }

    @Test
    void f63_aSlowRedisDelaysReadinessOnlyForAWhileAndTheCleanupGoesOn() throws Exception {
        try (HadirProcess killed = start(LONG_LEASE)) {
            List<Guest> guests = Guest.crowd(killed.port(), "u", USERS, "r");
            for (Guest guest : guests.subList(0, 30)) {
                CompletableFuture.allOf(IntStream.range(0, 40)
                                .mapToObj(room -> guest.comeIn("room" + room + guest.user, 5))
                                .toArray(CompletableFuture[]::new))
                        .join();
            }
            killed.kill();
        }
        Thread.sleep(HadirProcess.GRACE.toMillis());
        try (FaultProxy slow = new FaultProxy(REDIS.port())) {
            slow.delayAnswers(Duration.ofMillis(300));
            String url = REDIS.url().replace(":" + REDIS.port(), ":" + slow.port());
            try (HadirProcess again = HadirProcess.start(folder, url, "--port=" + port, NO_SWEEP, LONG_LEASE)) {
                again.awaitReady();
                assertThat(REDIS.cli().keys("room:presence:*")).isNotEmpty();
                await().atMost(Duration.ofSeconds(40))
                        .until(() -> REDIS.cli().keys("room:presence:*").isEmpty());
            }
        }
    }

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
        try (HadirProcess killed = start();
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
        try (HadirProcess still = start();
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

    @Test
    void f63_inAClusterTheListIsCleanWhenTheServerIsReady() throws Exception {
        try (TestCluster cluster = new TestCluster()) {
            List<String> rooms = cluster.masters().stream()
                    .map(master -> cluster.idAt(master, "room"))
                    .toList();
            String[] flags = {"--port=" + port, NO_SWEEP, LONG_LEASE};
            try (HadirProcess killed =
                    HadirProcess.start(folder, cluster.url(), flags).awaitReady()) {
                for (String room : rooms) {
                    Guest.crowd(killed.port(), "u", 10, room);
                }
                killed.kill();
            }
            Thread.sleep(HadirProcess.GRACE.plusMillis(500).toMillis());
            try (HadirProcess again =
                    HadirProcess.start(folder, cluster.url(), flags).awaitReady()) {
                for (String room : rooms) {
                    assertThat(again.get("/api/v1/rooms/" + room + "/participants"))
                            .startsWith("200 ")
                            .contains("\"participants\":[]");
                }
            }
        }
    }
}
