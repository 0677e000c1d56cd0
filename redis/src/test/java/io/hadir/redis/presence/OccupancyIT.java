package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.RoomDirectory;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.redis.store.RedisStores;
import io.hadir.redis.store.RoomScripts;
import io.hadir.redis.store.TestNode;
import io.hadir.redis.store.UserScripts;
import io.hadir.testing.TestRedis;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OccupancyIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String OCCUPIED = "hadir:{rooms}:occupied";

    @Test
    void aRoomIsOnTheListWhenItsFirstJoinIsAnswered() {
        try (TestNode node = TestNode.started(REDIS.url())) {
            node.open("ana").join("b");
            node.open("budi").join("a");
            assertThat(REDIS.cli().zrange(OCCUPIED, 0, -1)).containsExactly("a", "b");
            assertThat(REDIS.cli().ttl(OCCUPIED)).isPositive();
        }
    }

    @Test
    void theSweepRemovesEmptyRoomsFromTheListAndAddsMissingOnes() {
        try (TestNode node = TestNode.started(REDIS.url())) {
            TestNode.Client ana = node.open("ana");
            ana.join("left");
            ana.join("kept");
            ana.leave("left");
            REDIS.cli().del(OCCUPIED);
            REDIS.cli().zadd(OCCUPIED, 0.0, "never");
            REDIS.cli().zadd(OCCUPIED, 0.0, "left");
            // A node that has just started may not judge others yet, and does not scan.
            await().until(() -> get(node.sweeper.sweep()).finished());
            assertThat(REDIS.cli().zrange(OCCUPIED, 0, -1)).containsExactly("kept");
        }
    }

    @Test
    void anInvalidEntryHidesNoRoomBehindIt() {
        try (RedisLink link = new RedisLink(RedisAddress.parse(REDIS.url()))) {
            link.open();
            await().until(link::isUp);
            RemovalStatistics statistics = new RemovalStatistics(link, InstantSource.system());
            RoomDirectory directory = RedisStores.open(
                            link,
                            new RoomScripts(link, "n", TestNode.QUICK),
                            new UserScripts(link, UserSettings.of(TestNode.QUICK.grace(), 20)),
                            statistics,
                            TestNode.QUICK,
                            PresenceObserver.UNSEEN)
                    .directory();
            REDIS.cli().del(OCCUPIED);
            for (String entry : List.of("a", "b c", "d", "e")) {
                REDIS.cli().zadd(OCCUPIED, 0.0, entry);
            }
            assertThat(get(directory.after(null, 2))).extracting(RoomId::value).containsExactly("a", "d");
            assertThat(REDIS.cli().zrange(OCCUPIED, 0, -1)).containsExactly("a", "d", "e");
        }
    }

    @Test
    void aRoomThatFillsWhileItIsForgottenIsOnTheListInTheEnd() {
        try (TestNode node = TestNode.started(REDIS.url());
                TestNode other = TestNode.started(REDIS.url())) {
            for (int i = 0; i < 50; i++) {
                String room = "r" + i;
                REDIS.cli().zadd(OCCUPIED, 0.0, room);
                REDIS.cli().del("hadir:{nodes}:swept"); // so that this sweep scans
                var sweeping = node.sweeper.sweep();
                other.open("u" + i).join(room);
                get(sweeping);
                assertThat(REDIS.cli().zscore(OCCUPIED, room)).as(room).isNotNull();
            }
        }
    }
}
