package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.presence.sweep.Nodes;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestCluster;
import io.hadir.testing.TestRedis;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What others do about a dead node. The sweep comes only when a test wants it, so nothing here needs a scan unless it
 * says so.
 */
class NodeDeathIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final Duration LEASE = TestNode.QUICK.lease();
    private static final Duration GRACE = TestNode.QUICK.grace();
    private static final Duration OUT = LEASE.plusSeconds(20);

    private final List<TestNode> nodes = new ArrayList<>();

    @AfterEach
    void closeNodes() {
        nodes.forEach(TestNode::close);
    }

    private TestNode start() {
        TestNode node = TestNode.started(REDIS.url());
        nodes.add(node);
        return node;
    }

    /** Redis' clock in epoch milliseconds. */
    private static long millis(List<String> time) {
        return Long.parseLong(time.get(0)) * 1000 + Long.parseLong(time.get(1)) / 1000;
    }

    @Test
    void f64_aDeadNodeIsCleanedUpWithoutAScan() {
        TestNode a = start();
        TestNode b = start();
        TestNode.Client watcher = b.open("watcher");
        for (int i = 0; i < 150; i++) {
            a.open("lost" + i).join("room" + i % 50);
            b.open("kept" + i).join("room" + i % 50);
        }
        watcher.join("room0");
        REDIS.cli().configResetstat();

        a.kill();
        await().atMost(OUT)
                .until(() -> REDIS.cli().keys("room:presence:*:lost*").isEmpty());

        await().atMost(OUT)
                .untilAsserted(() -> assertThat(watcher.left())
                        .containsExactlyInAnyOrder("lost0 server_gone", "lost50 server_gone", "lost100 server_gone"));
        await().until(() -> !REDIS.cli().smembers(RedisKeys.KNOWN_NODES).contains(a.id));
        await().until(() -> REDIS.cli().exists(RedisKeys.rooms(a.id)) == 0);
        assertThat(REDIS.cli().hexists(RedisKeys.LAST_SIGNS, a.id)).isFalse();
        assertThat(REDIS.cli().info("commandstats")).doesNotContain("cmdstat_scan:");
        assertThat(REDIS.cli().keys("room:presence:*:kept*")).hasSize(150);
        for (int i = 0; i < 50; i++) {
            assertThat(b.list("room" + i)).noneMatch(user -> user.startsWith("lost"));
        }
    }

    @Test
    void f64_twoSurvivorsAnnounceEachLeaveOnce() {
        TestNode a = start();
        List<TestNode.Client> watchers =
                List.of(start().open("watcher0"), start().open("watcher1"), start().open("watcher2"));
        watchers.forEach(watcher -> watcher.join("r"));
        for (int i = 0; i < 120; i++) {
            a.open("lost" + i).join("r");
        }
        String[] expected = IntStream.range(0, 120)
                .mapToObj(i -> "lost" + i + " server_gone")
                .toArray(String[]::new);

        a.kill();

        for (TestNode.Client watcher : watchers) {
            await().atMost(OUT).untilAsserted(() -> assertThat(watcher.left()).containsExactlyInAnyOrder(expected));
        }
        await().during(LEASE)
                .atMost(OUT)
                .until(() ->
                        watchers.stream().allMatch(watcher -> watcher.left().size() == 120));
    }

    @Test
    void f64_ifTheSurvivorThatCleansUpDiesAnotherOneFinishes() {
        TestNode a = start();
        TestNode b = start();
        for (int i = 0; i < 20; i++) {
            a.open("lost" + i).join("room" + i);
        }
        a.kill();
        await().atMost(OUT).pollInterval(Duration.ofMillis(5)).until(() -> {
            // As if another node had begun and were gone.
            REDIS.cli()
                    .set(
                            RedisKeys.cleanup(a.id),
                            "survivor",
                            SetArgs.Builder.px(3000).nx());
            return REDIS.cli().exists(RedisKeys.lease(a.id)) == 0;
        });
        assertThat(REDIS.cli().keys("room:presence:*")).hasSize(20);

        await().atMost(OUT).until(() -> REDIS.cli().keys("room:presence:*").isEmpty());

        assertThat(b.list("room3")).isEmpty();
    }

    @Test
    void f64_aLostRecordIsMadeUpForByAScan() {
        TestNode a = start();
        TestNode b = start();
        for (int i = 0; i < 20; i++) {
            a.open("lost" + i).join("room" + i);
        }
        a.kill();
        assertThat(REDIS.cli().del(RedisKeys.rooms(a.id))).isEqualTo(1);

        await().atMost(OUT).until(() -> REDIS.cli().keys("room:presence:*").isEmpty());

        await().until(() -> !REDIS.cli().smembers(RedisKeys.KNOWN_NODES).contains(a.id));
        assertThat(b.list("room3")).isEmpty();
    }

    @Test
    void f64_theScanFindsWhatTheRecordLacks() {
        TestNode a = start();
        TestNode b = start();
        a.open("adi").join("r");
        a.open("budi").join("unrecorded");
        a.kill();
        assertThat(REDIS.cli().srem(RedisKeys.rooms(a.id), "unrecorded")).isEqualTo(1);

        await().atMost(OUT).until(() -> REDIS.cli().exists("room:presence:r:adi") == 0);
        await().until(() -> !REDIS.cli().smembers(RedisKeys.KNOWN_NODES).contains(a.id));
        assertThat(REDIS.cli().exists("room:presence:unrecorded:budi")).isEqualTo(1);
        b.sweepWhenItMayJudge();

        assertThat(REDIS.cli().exists("room:presence:unrecorded:budi")).isZero();
    }

    @Test
    void f07_theRecordOfANodeThatWasTakenForDeadIsWholeAgain() {
        TestNode a = start();
        TestNode b = start();
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        a.open("budi").join("other");

        // a is alive, but seems to have missed its renewals.
        await().atMost(OUT).pollInterval(Duration.ofMillis(20)).until(() -> {
            REDIS.cli().del(RedisKeys.lease(a.id));
            return REDIS.cli().keys("room:presence:*").isEmpty();
        });
        await().untilAsserted(() ->
                assertThat(REDIS.cli().smembers(RedisKeys.KNOWN_NODES)).contains(a.id));
        TestNode.Client again = a.open("adi");
        again.join("r");
        await().untilAsserted(() ->
                assertThat(REDIS.cli().smembers(RedisKeys.rooms(a.id))).contains(".", "r"));
        await().during(Duration.ofSeconds(1))
                .atMost(OUT)
                .until(() -> REDIS.cli().exists("room:presence:r:adi") == 1);

        a.kill();
        await().atMost(OUT).until(() -> b.list("r").isEmpty());
    }

    @Test
    void theRecordFollowsTheRoomsOfANodeAndEndsWithIt() {
        TestNode a = start();
        TestNode.Client adi = a.open("adi");
        adi.join("ruang tamu");
        String key = RedisKeys.rooms(a.id);
        assertThat(REDIS.cli().smembers(key)).containsExactlyInAnyOrder(".", "ruang%20tamu");
        assertThat(REDIS.cli().ttl(key)).isBetween(86_000L, 86_400L);
        REDIS.cli().del(key);
        await().untilAsserted(
                        () -> assertThat(REDIS.cli().smembers(key)).containsExactlyInAnyOrder(".", "ruang%20tamu"));
        adi.leave("ruang tamu");
        await().untilAsserted(() -> assertThat(REDIS.cli().smembers(key)).containsExactly("."));

        a.shutDown();
        assertThat(REDIS.cli().exists(key, RedisKeys.KNOWN_NODES, RedisKeys.LAST_SIGNS, RedisKeys.lease(a.id)))
                .isZero();
    }

    @Test
    void f63_afterALongDowntimeNothingOfACertainlyDeadNodeIsLeft() {
        TestNode a = start();
        for (int i = 0; i < 30; i++) {
            a.open("lost" + i).join("room" + i % 3);
        }
        a.kill();
        String last = REDIS.cli().hget(RedisKeys.LAST_SIGNS, a.id);
        long graceEnds = Long.parseLong(last.substring(0, last.indexOf(' '))) + GRACE.toMillis();
        await().pollInterval(Duration.ofMillis(20))
                .until(() -> millis(REDIS.cli().time()) > graceEnds);
        assertThat(REDIS.cli().exists(RedisKeys.lease(a.id)))
                .as("its lease still runs")
                .isEqualTo(1);
        TestNode again = start();
        TestNode.Client watcher = again.open("watcher");
        watcher.join("room0");

        get(again.cleanup.afterPredecessors(sign -> sign.node().equals(a.id)));

        assertThat(REDIS.cli().keys("room:presence:*")).containsExactly("room:presence:room0:watcher");
        assertThat(again.list("room1")).isEmpty();
        await().untilAsserted(
                        () -> assertThat(watcher.left()).hasSize(10).allMatch(left -> left.endsWith("server_gone")));
        assertThat(REDIS.cli().smembers(RedisKeys.KNOWN_NODES)).containsExactly(again.id);
        assertThat(REDIS.cli().exists(RedisKeys.lease(a.id), RedisKeys.rooms(a.id), RedisKeys.cleanup(a.id)))
                .isZero();
    }

    @Test
    void f63_afterAQuickRestartUsersWhoReturnAreNotSeenToLeaveAndTheOthersLeaveAfterTheGracePeriod() {
        TestNode other = start();
        TestNode.Client watcher = other.open("watcher");
        watcher.join("r");
        TestNode a = start();
        for (String user : List.of("returns", "restored", "stays away")) {
            a.open(user).join("r");
        }
        a.open("alone").join("nobody else here");
        await().until(() -> watcher.joined().size() == 3);
        a.kill();
        TestNode again = start();

        get(again.cleanup.afterPredecessors(sign -> sign.node().equals(a.id)));

        assertThat(REDIS.cli().keys("room:presence:*")).hasSize(5);
        again.open("returns").join("r");
        again.openAuthenticated("restored");
        await().atMost(OUT).untilAsserted(() -> assertThat(watcher.left()).containsExactly("stays away disconnected"));
        assertThat(other.list("r")).containsExactlyInAnyOrder("watcher", "returns", "restored");
        // No node has a socket in that room, but its end is announced and counted like any other.
        await().untilAsserted(() ->
                assertThat(REDIS.cli().keys("*nobody%20else%20here:index")).isEmpty());
        assertThat(watcher.joined()).hasSize(3);
    }

    @Test
    void f63_aSignOfLifeStopsTheCleanup() {
        TestNode a = start();
        TestNode b = start();
        a.open("adi").join("r");
        Nodes.LastSign sign = get(b.nodes.lastSigns()).stream()
                .filter(last -> last.node().equals(a.id))
                .findFirst()
                .orElseThrow();
        await().until(() -> !REDIS.cli()
                .hget(RedisKeys.LAST_SIGNS, a.id)
                .startsWith(Long.toString(sign.at().toEpochMilli())));

        assertThat(get(b.nodes.lockCleanup(a.id, sign))).isEqualTo(Nodes.CleanupLock.ALIVE);
        assertThat(get(b.nodes.lockCleanup(a.id, null))).isEqualTo(Nodes.CleanupLock.ALIVE);
    }

    @Test
    void f63_aNodeWithoutALeaseOfItsOwnIsUnsureAboutOthers() {
        TestNode a = start();
        TestNode b = start();
        a.kill();
        REDIS.cli().del(RedisKeys.lease(a.id), RedisKeys.lease(b.id));
        assertThat(get(b.nodes.lockCleanup(a.id, null))).isEqualTo(Nodes.CleanupLock.UNSURE);
    }

    @Test
    void f64_inAClusterTheRecordAndItsRoomsAreOnDifferentMasters() throws Exception {
        try (TestCluster cluster = new TestCluster();
                TestNode a = TestNode.started(cluster.url());
                TestNode b = TestNode.started(cluster.url())) {
            List<String> rooms = cluster.masters().stream()
                    .map(master -> cluster.idAt(master, "room"))
                    .toList();
            List<TestNode.Client> watchers = new ArrayList<>();
            for (String room : rooms) {
                TestNode.Client watcher = b.open("watcher");
                watcher.join(room);
                watchers.add(watcher);
                a.open("lost").join(room);
            }
            a.kill();
            for (TestNode.Client watcher : watchers) {
                await().atMost(OUT)
                        .untilAsserted(() -> assertThat(watcher.left()).containsExactly("lost server_gone"));
            }
            String record = RedisKeys.rooms(a.id);
            await().until(() -> cluster.cli(cluster.owner(record)).exists(record) == 0);
        }
    }

    @Test
    void f37_roomsOnALostMasterDoNotKeepTheOthersFromBeingCleanedUp() throws Exception {
        try (TestCluster cluster = new TestCluster();
                TestNode a = TestNode.started(cluster.url());
                TestNode b = TestNode.started(cluster.url())) {
            EmbeddedRedis lost = cluster.masters().stream()
                    .filter(master -> master != cluster.owner(RedisKeys.KNOWN_NODES)
                            && master != cluster.owner(RedisKeys.rooms(a.id)))
                    .findFirst()
                    .orElseThrow();
            for (EmbeddedRedis master : cluster.masters()) {
                cluster.cli(master).configSet("cluster-require-full-coverage", "no");
                for (int i = 0; i < 40; i++) {
                    a.open("lost" + i).join(cluster.idAt(master, "room" + i));
                }
            }
            List<EmbeddedRedis> alive =
                    cluster.masters().stream().filter(master -> master != lost).toList();
            for (EmbeddedRedis replica : cluster.replicas(lost)) {
                cluster.kill(replica);
            }
            cluster.kill(lost);
            await().until(() -> b.link.partlyAway().isPresent());
            a.kill();
            for (EmbeddedRedis master : alive) {
                await().atMost(OUT)
                        .until(() -> cluster.cli(master).keys("room:presence:*").isEmpty());
            }
            assertThat(cluster.cli(cluster.owner(RedisKeys.KNOWN_NODES)).smembers(RedisKeys.KNOWN_NODES))
                    .as("it is not forgotten before everything is done")
                    .contains(a.id);
        }
    }
}
