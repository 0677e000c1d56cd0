package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.testing.FaultProxy;
import io.hadir.testing.TestCluster;
import io.hadir.testing.TestRedis;
import io.lettuce.core.api.sync.RedisCommands;
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

/** Servers that die and are started again where they ran. No scan helps them. */
class RestartIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String SIGNS = "hadir:{nodes}:signs";
    private static final String NO_SWEEP = "--sweep-seconds=3600";
    private static final String LONG_LEASE = "--lease-seconds=60";
    private static final String LONG_GRACE = "--grace-seconds=20";
    private static final int USERS = 60;

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

    /** Waits until every server has been silent for longer than the grace period, by Redis' clock. */
    private static void awaitGracePeriod(RedisCommands<String, String> redis) {
        long lastSign = redis.hvals(SIGNS).stream()
                .mapToLong(sign -> Long.parseLong(sign.substring(0, sign.indexOf(' '))))
                .max()
                .orElseThrow();
        await().until(() -> Long.parseLong(redis.time().get(0)) * 1000 > lastSign + HadirProcess.GRACE.toMillis());
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
        awaitGracePeriod(REDIS.cli());
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
    void f63_theSocketsOfAPredecessorDoNotCountAgainstTheirUser() throws Exception {
        String most = "--sockets-per-user=2";
        try (HadirProcess killed = start(LONG_LEASE, most)) {
            Guest.join(killed.port(), "adi", "r");
            Guest.join(killed.port(), "adi", "r");
            killed.kill();
        }
        try (HadirProcess again = start(LONG_LEASE, most)) {
            listWhenReady(again);
            assertThat(Guest.join(again.port(), "adi", "r").list("r")).containsExactly("adi");
            assertThat(Guest.join(again.port(), "adi", "r").list("r")).containsExactly("adi");
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
        awaitGracePeriod(REDIS.cli());
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
        awaitGracePeriod(REDIS.cli());
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
            awaitGracePeriod(cluster.cli(cluster.owner(SIGNS)));
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
