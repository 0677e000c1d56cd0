package io.hadir.redis.store;

import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.RoomDirectory;
import io.hadir.presence.RoomSettingsStore;
import io.hadir.presence.RoomStore;
import io.hadir.presence.SeatStore;
import io.hadir.presence.Stores;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.testing.TestRedis;
import java.time.Duration;
import java.time.InstantSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests of the scripts, one step at a time, as node {@code n}; Redis is empty before each test. */
@TestInstance(Lifecycle.PER_CLASS)
public abstract class OnStore {
    static final Duration TTL = Duration.ofHours(6);
    static final Duration GRACE = Duration.ofSeconds(15);
    public static final PresenceSettings SETTINGS = new PresenceSettings(
            TTL, Duration.ofSeconds(25), GRACE, Duration.ofSeconds(30), Duration.ofSeconds(15), 1000, 50);

    @RegisterExtension
    public final TestRedis redis = TestRedis.start();

    public RedisLink link;
    public SeatStore seats;
    public RoomStore rooms;
    public RoomDirectory directory;
    public RoomSettingsStore roomSettings;
    public RedisPresenceScan scan;

    @BeforeEach
    void connect() {
        link = new RedisLink(RedisAddress.parse(redis.url()));
        link.open();
        RemovalStatistics statistics = new RemovalStatistics(link, InstantSource.system());
        Stores stores = RedisStores.open(
                link,
                new RoomScripts(link, "n", SETTINGS),
                new UserScripts(link, UserSettings.of(SETTINGS.grace(), 20)),
                statistics,
                SETTINGS,
                PresenceObserver.UNSEEN);
        seats = stores.seats();
        rooms = stores.rooms();
        directory = stores.directory();
        roomSettings = stores.settings();
        scan = new RedisPresenceScan(link, new RoomScripts(link, "judge", SETTINGS));
        await().until(() -> link.isUp() && link.pubSub().forPlain(null) != null);
    }

    @AfterEach
    void disconnect() {
        link.close();
    }
}
