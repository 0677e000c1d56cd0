package io.hadir.redis.stats;

import static io.hadir.redis.store.TestNode.QUICK;
import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.RoomDirectory;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.store.RedisNodes;
import io.hadir.redis.store.RedisRoomFeed;
import io.hadir.redis.store.RedisStores;
import io.hadir.redis.store.RoomScripts;
import io.hadir.redis.store.UserScripts;
import io.hadir.testing.TestRedis;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class GaugesIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    /** With leases that outlive a machine that stands still for a while. */
    private static final PresenceSettings SETTINGS = new PresenceSettings(
            QUICK.ttl(),
            QUICK.heartbeat(),
            QUICK.grace(),
            QUICK.sweep(),
            Duration.ofMinutes(5),
            QUICK.namesLimit(),
            QUICK.roomsPerSocket());

    private RedisLink link;
    private RoomDirectory directory;

    @BeforeEach
    void connect() {
        link = new RedisLink(RedisAddress.parse(REDIS.url()));
        link.open();
        await().until(link::isUp);
        RemovalStatistics statistics = new RemovalStatistics(link, InstantSource.system());
        directory = RedisStores.open(
                        link,
                        new RoomScripts(link, "n", SETTINGS),
                        new UserScripts(link, UserSettings.of(SETTINGS.grace(), 20)),
                        statistics,
                        SETTINGS,
                        PresenceObserver.UNSEEN)
                .directory();
    }

    @AfterEach
    void disconnect() {
        link.close();
    }

    private RedisNodes node(String id, String about) {
        return new RedisNodes(link, new RedisRoomFeed(link), id, () -> about, SETTINGS, PresenceObserver.UNSEEN);
    }

    private Gauges take(RedisNodes asker) {
        return get(Gauges.take(directory, asker));
    }

    @Test
    void usersAndSocketsAreThoseOfAllServersWithALease() {
        RedisNodes asker = node("asker", "{\"sockets\":3,\"users\":2}");
        RedisNodes other = node("other", "{\"sockets\":4,\"users\":1}");
        get(asker.renewLease());
        get(other.renewLease());
        get(node("silent", "{}").renewLease());
        REDIS.cli().zadd("hadir:{rooms}:occupied", 0.0, "r");
        await().untilAsserted(() -> assertThat(take(asker)).isEqualTo(new Gauges(3L, 1L, 7L)));
        get(other.endLease(other.self()));
        await().untilAsserted(() -> assertThat(take(asker)).isEqualTo(new Gauges(2L, 1L, 3L)));
    }

    @Test
    void f51_aServerThatReportsNoUsersCountsWithItsSockets() {
        RedisNodes asker = node("asker", "{\"sockets\":3,\"users\":2}");
        get(asker.renewLease());
        get(node("older", "{\"sockets\":4}").renewLease());
        await().untilAsserted(() -> assertThat(take(asker)).isEqualTo(new Gauges(6L, 0L, 7L)));
    }

    @Test
    void f26_aNodeWithoutALeaseReportsNoNumbersOfOtherNodes() {
        RedisNodes asker = node("asker", "{\"sockets\":3,\"users\":2}");
        get(asker.renewLease());
        REDIS.cli().flushall();
        get(node("other", "{\"sockets\":4,\"users\":1}").renewLease());
        assertThat(take(asker)).isEqualTo(new Gauges(null, 0L, null));
    }

    @Test
    void gaugesThatCannotBeReadAreUnknown() {
        RedisNodes asker = node("asker", "{\"sockets\":3,\"users\":2}");
        get(asker.renewLease());
        await().untilAsserted(() -> assertThat(take(asker)).isEqualTo(new Gauges(2L, 0L, 3L)));
        link.close();
        await().untilAsserted(() -> assertThat(take(asker)).isEqualTo(Gauges.UNKNOWN));
    }
}
