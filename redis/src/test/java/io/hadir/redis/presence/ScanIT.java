package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.RedisNodes;
import io.hadir.redis.store.RedisRoomFeed;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the scan and the checks find, and what they cost when all is right. */
class ScanIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    ScanIT() {
        super(REDIS);
    }

    @Test
    void hintsAndDetailsOfUsersWhoAreGoneAreRemovedWhereNoNodeHasSockets() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        String details = REDIS.cli().get("room:r:user:adi");
        REDIS.cli().set("room:empty:user:ghost", details, SetArgs.Builder.ex(1000));
        REDIS.cli().zadd("hadir:room:empty:index", 1, "ghost");
        REDIS.cli().zadd("hadir:room:r:index", 1, "ghost");
        REDIS.cli().zadd(RedisKeys.OCCUPIED, 0, "long-gone");

        a.sweepWhenItMayJudge();
        assertThat(REDIS.cli().exists("hadir:room:empty:index", "room:empty:user:ghost"))
                .isZero();
        assertThat(REDIS.cli().zrange("hadir:room:r:index", 0, -1)).containsExactly("adi");
        assertThat(REDIS.cli().zrange(RedisKeys.OCCUPIED, 0, -1)).containsExactly("r");
    }

    @Test
    void aSocketOfADeadNodeIsTakenOffASeatThatAnotherSocketHolds() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        String shared = REDIS.cli()
                .get("room:r:user:adi")
                .replaceFirst("\"turn\":1", "\"sockets\":{\"" + adi.socket + "\":1,\"gone.x\":1}");
        assertThat(shared).contains("gone.x");
        REDIS.cli().set("room:r:user:adi", shared, SetArgs.Builder.ex(1000));

        a.sweepWhenItMayJudge();
        await().untilAsserted(() -> assertThat(REDIS.cli().get("room:r:user:adi"))
                .contains(adi.socket.value())
                .doesNotContain("gone.x"));
        assertThat(a.list("r")).containsExactly("adi");
    }

    @Test
    void aSocketThatItsLiveNodeDoesNotKnowIsTakenOffASeatThatAnotherSocketHolds() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        String shared = REDIS.cli()
                .get("room:r:user:adi")
                .replaceFirst("\"turn\":1", "\"sockets\":{\"" + adi.socket + "\":1,\"" + b.id + ".x\":1}");
        REDIS.cli().set("room:r:user:adi", shared, SetArgs.Builder.ex(1000));

        a.sweepWhenItMayJudge();
        await().untilAsserted(
                        () -> assertThat(REDIS.cli().get("room:r:user:adi")).doesNotContain(b.id + ".x"));
        assertThat(b.list("r")).containsExactly("adi");
    }

    @Test
    void aSweepWritesNothingAboutSeatsThatAreRight() {
        a.open("adi").join("r");
        b.open("budi").join("r");
        for (String key : new String[] {"room:r:user:adi", "hadir:room:r:index", "hadir:room:r:revision"}) {
            REDIS.cli().expire(key, 1000);
        }
        a.sweepWhenItMayJudge();
        for (String key : new String[] {"room:r:user:adi", "hadir:room:r:index", "hadir:room:r:revision"}) {
            assertThat(REDIS.cli().ttl(key)).isBetween(0L, 1000L);
        }
    }

    @Test
    void f41_theNodeThatScansKeepsItsRightToWhileItRests() {
        for (int i = 0; i < 5_000; i++) {
            REDIS.cli().set("hadir:room:r" + i + ":history:u", "x", SetArgs.Builder.ex(1000));
        }
        PresenceSettings slow = new PresenceSettings(
                Duration.ofMinutes(1),
                Duration.ofSeconds(1),
                Duration.ofMillis(1500),
                Duration.ofMinutes(30),
                Duration.ofHours(1),
                0.0001,
                Duration.ofSeconds(3),
                1000,
                50);
        REDIS.cli().del(RedisKeys.SCAN_DONE);
        try (TestNode resting = TestNode.started(REDIS.url(), slow)) {
            // It has to hold its lease for a while before it may scan.
            await().pollInterval(Duration.ofMillis(300)).until(() -> {
                resting.sweeper.sweep();
                return resting.id.equals(REDIS.cli().get(RedisKeys.SCAN_LOCK));
            });
            await().during(Duration.ofSeconds(5))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> resting.id.equals(REDIS.cli().get(RedisKeys.SCAN_LOCK)));
            assertThat(get(a.sweeper.sweep()).scan()).isNull();
        }
    }

    @Test
    void nodesTellWhichSeatsTheyTakeCareOf() {
        for (int i = 0; i < 10; i++) {
            a.open("u" + i).join("r" + i % 3);
        }
        try (RedisLink link = new RedisLink(RedisAddress.parse(REDIS.url()))) {
            RedisNodes asking = new RedisNodes(
                    link, new RedisRoomFeed(link), "asking", () -> "{}", TestNode.QUICK, PresenceObserver.UNSEEN);
            Map<String, Integer> told = new ConcurrentHashMap<>();
            asking.listenForClaims(
                    seed -> CompletableFuture.completedFuture(new long[0]),
                    (node, seats) -> told.merge(node, seats.length, Integer::sum));
            link.open();
            await().until(link::isUp);
            // The answer to a question that came before the subscription is lost.
            await().pollInterval(Duration.ofSeconds(1)).until(() -> {
                boolean all = Objects.equals(told.get(a.id), 10);
                told.clear();
                get(asking.askForClaims(7));
                return all;
            });
        }
    }

    @Test
    void theDirectoryListsRoomsWhoseEntryWasLost() {
        a.open("adi").join("r");
        REDIS.cli().del(RedisKeys.OCCUPIED);
        b.sweepWhenItMayJudge();
        assertThat(REDIS.cli().zrange(RedisKeys.OCCUPIED, 0, -1)).containsExactly(new RoomId("r").encoded());
    }
}
