package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedRedis;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.Signals;
import io.hadir.testing.TestCluster;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** One cluster of three masters with a replica each, which is damaged more and more. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterFaultsIT {
    private static final PresenceSettings SETTINGS = new PresenceSettings(
            Duration.ofMinutes(1),
            Duration.ofSeconds(1),
            Duration.ofMillis(1500),
            Duration.ofHours(1),
            Duration.ofSeconds(4),
            1000,
            50);

    /** For everybody to be judged who is going to be. */
    private static final Duration LONG_ENOUGH = SETTINGS.lease().multipliedBy(3).dividedBy(2);

    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = new TestCluster();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    @Order(1)
    void f37_aSlotThatMovesTakesItsRoomsAlongAndLeavesTheOthersAlone() {
        try (TestNode a = TestNode.started(cluster.url(), SETTINGS);
                TestNode b = TestNode.started(cluster.url(), SETTINGS)) {
            EmbeddedRedis from = cluster.masters().get(0);
            EmbeddedRedis to = cluster.masters().get(1);
            String moving = cluster.idAt(from, "moving");
            String other = cluster.idAt(from, "other");
            int slot = SlotHash.getSlot("{" + moving + "}");
            TestNode.Client adi = a.open("adi");
            TestNode.Client budi = b.open("budi");
            for (String room : List.of(moving, other)) {
                adi.join(room);
                budi.join(room);
            }

            cluster.beginMove(slot, from, to);
            cluster.moveKeys(slot, from, to, 3);
            // Half of the room is here and half of it there.
            for (String room : List.of(moving, other)) {
                ok(adi.heartbeat(room));
                ok(budi.heartbeat(room));
            }
            TestNode.Client citra = a.open("citra");
            assertThat(refused(get(citra.tryJoin(moving))).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            citra.join(other);
            await().until(() -> budi.joined().contains("citra"));
            get(a.sweeper.sweep());
            get(b.sweeper.sweep());
            while (cluster.moveKeys(slot, from, to, 100) > 0) {
                ok(adi.heartbeat(moving));
            }
            cluster.endMove(slot, to);

            await().until(() -> get(citra.tryJoin(moving)) instanceof Answer.Ok);
            List<TestNode.Client> stayed = List.of(adi, budi);
            await().until(() -> areTold(3, moving, stayed));
            for (TestNode node : List.of(a, b)) {
                await().until(() -> node.list(moving).size() == 3);
            }
            citra.leave(moving);
            await().until(() -> areTold(2, moving, stayed));
            // By the count as long as the channel is being found again, then by name.
            await().until(() -> {
                citra.join(moving);
                await().until(() -> areTold(3, moving, stayed));
                citra.leave(moving);
                await().until(() -> areTold(2, moving, stayed));
                return stayed.stream().allMatch(client -> client.left().contains("citra left"));
            });
            get(a.sweeper.sweep());
            get(b.sweeper.sweep());
            for (TestNode.Client client : stayed) {
                assertThat(client.messages).isEmpty();
                assertThat(client.left()).containsOnly("citra left");
                ok(client.heartbeat(moving));
            }
        }
    }

    @Test
    @Order(2)
    void f37_theSweepScansEveryMaster() {
        try (TestNode a = TestNode.started(cluster.url(), SETTINGS)) {
            TestNode dying = TestNode.started(cluster.url(), SETTINGS);
            List<String> rooms = cluster.masters().stream()
                    .map(master -> cluster.idAt(master, "swept"))
                    .toList();
            TestNode.Client adi = a.open("adi");
            TestNode.Client budi = dying.open("budi");
            for (String room : rooms) {
                adi.join(room);
                budi.join(room);
            }
            dying.kill();
            for (String room : rooms) {
                await().until(() -> a.list(room).equals(List.of("adi")));
            }
            await().until(() -> adi.left().size() == rooms.size());
            assertThat(adi.left()).containsOnly("budi server_gone");
            assertThat(get(a.sweeper.sweep()).finished()).isTrue();
        }
    }

    @Test
    @Order(3)
    void f37_theLeasesMayBeAwayForLongerThanALease() throws Exception {
        try (TestNode a = TestNode.started(cluster.url(), SETTINGS);
                TestNode b = TestNode.started(cluster.url(), SETTINGS)) {
            EmbeddedRedis leases = cluster.owner("hadir:{nodes}:known");
            EmbeddedRedis elsewhere = cluster.masters().stream()
                    .filter(master -> master != leases)
                    .findFirst()
                    .orElseThrow();
            String room = cluster.idAt(elsewhere, "room");
            String away = cluster.idAt(leases, "away");
            TestNode.Client adi = a.open(cluster.idAt(elsewhere, "adi"));
            // This one's own keys are with the leases.
            TestNode.Client budi = b.open(cluster.idAt(leases, "budi"));
            for (String joined : List.of(room, away)) {
                adi.join(joined);
                budi.join(joined);
            }
            List<EmbeddedRedis> frozen = new ArrayList<>(cluster.replicas(leases));
            frozen.add(leases);
            for (EmbeddedRedis redis : frozen) {
                Signals.freeze(redis.process());
            }
            try {
                await().until(() ->
                        a.link.partlyAway().isPresent() && b.link.partlyAway().isPresent());
                assertThat(a.link.partlyAway().orElseThrow()).contains(leases.address());
                assertThat(a.link.trouble()).isEmpty();
                assertThat(refused(adi.heartbeat(away)).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
                TestNode.Client citra = b.open("citra");
                citra.join(room);
                await().until(() -> adi.joined().contains("citra"));
                citra.leave(room);
                await().until(() -> adi.left().contains("citra left"));
                await().pollDelay(SETTINGS.lease()).until(() -> true);
                ok(adi.heartbeat(room));
                ok(budi.heartbeat(room));
                get(a.sweeper.sweep());
            } finally {
                for (EmbeddedRedis redis : frozen) {
                    Signals.wake(redis.process());
                }
            }
            await().until(() -> get(adi.tryJoin(away)) instanceof Answer.Ok
                    && a.link.partlyAway().isEmpty());
            await().during(LONG_ENOUGH).atMost(Duration.ofSeconds(60)).until(() -> {
                assertThat(adi.messages).isEmpty();
                assertThat(budi.messages).isEmpty();
                assertThat(adi.left()).containsExactly("citra left");
                return true;
            });
            for (String joined : List.of(room, away)) {
                await().until(() -> b.list(joined).size() == 2);
            }
        }
    }

    @Test
    @Order(4)
    void f37_whenAMasterIsKilledItsReplicaGoesOnWithItsRooms() throws Exception {
        try (TestNode a = TestNode.started(cluster.url(), SETTINGS);
                TestNode b = TestNode.started(cluster.url(), SETTINGS)) {
            // The one with the leases, for it is the worst.
            EmbeddedRedis master = cluster.owner("hadir:{nodes}:known");
            EmbeddedRedis elsewhere = cluster.masters().stream()
                    .filter(other -> other != master)
                    .findFirst()
                    .orElseThrow();
            String room = cluster.idAt(master, "led");
            String other = cluster.idAt(elsewhere, "beside");
            TestNode.Client adi = a.open("adi");
            TestNode.Client budi = b.open("budi");
            for (String joined : List.of(room, other)) {
                adi.join(joined);
                budi.join(joined);
            }
            cluster.cli(master).waitForReplication(1, 20_000);
            cluster.kill(master);
            await().until(() -> a.link.partlyAway().isPresent());
            ok(adi.heartbeat(other));
            await().until(() ->
                    a.link.partlyAway().isEmpty() && b.link.partlyAway().isEmpty());
            await().until(() -> adi.heartbeat(room) instanceof Answer.Ok);

            TestNode.Client citra = b.open("citra");
            citra.join(room);
            await().until(() -> areTold(3, room, List.of(adi)));
            await().during(LONG_ENOUGH).atMost(Duration.ofSeconds(60)).until(() -> {
                assertThat(adi.messages).isEmpty();
                assertThat(budi.messages).isEmpty();
                return adi.left().isEmpty();
            });
            assertThat(a.list(room)).hasSize(3);
            assertThat(b.list(other)).hasSize(2);
        }
    }

    /** Whether this is the latest count that each of them got. */
    private static boolean areTold(long count, String room, List<TestNode.Client> clients) {
        return clients.stream()
                .allMatch(client -> client.news.stream()
                        .filter(news -> news.room().value().equals(room))
                        .reduce((earlier, later) -> later)
                        .filter(last -> last.viewerCount() == count)
                        .isPresent());
    }
}
