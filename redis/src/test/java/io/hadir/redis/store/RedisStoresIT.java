package io.hadir.redis.store;

import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.RoomFeed;
import io.hadir.presence.Stores;
import io.hadir.presence.contract.StoresContract;
import io.hadir.presence.room.Seat;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.testing.TestRedis;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The stores and the feed on Redis keep the contract. */
class RedisStoresIT extends StoresContract {
    /** Those of sockets too; turns are much smaller. */
    private static final Pattern TIMES = Pattern.compile("\"(\\w+At|\\w+Until|\\w\\.\\w)\":(\\d{13})");

    private static final RedisKeys KEYS = new RedisKeys(false);

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private final RedisLink link = new RedisLink(RedisAddress.parse(REDIS.url()));
    private final RedisRoomFeed feed = new RedisRoomFeed(link);
    private final Stores stores = RedisStores.open(
            link,
            new RoomScripts(link, "n", SETTINGS),
            new UserScripts(link, UserSettings.of(SETTINGS.grace(), 20)),
            new RemovalStatistics(link, InstantSource.system()),
            SETTINGS,
            PresenceObserver.UNSEEN);

    RedisStoresIT() {
        link.open();
        await().until(() -> link.isUp() && link.pubSub().forPlain(null) != null);
    }

    @AfterEach
    void close() {
        link.close();
    }

    @Override
    protected Stores stores() {
        return stores;
    }

    @Override
    protected RoomFeed feed() {
        return feed;
    }

    @Override
    protected <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }

    /** Instead of waiting, moves everything that Redis has into the past. Revisions are no times and stay. */
    @Override
    protected void advance(Duration time) {
        // A new revision starts at the clock, which must have gone on by more than the number of changes before.
        Instant start = now();
        await().pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> now().isAfter(start.plusMillis(20)));
        for (String key : REDIS.cli().keys("*")) {
            if (key.endsWith(":index") || key.endsWith(":lapses") || key.endsWith(":grace")) {
                for (ScoredValue<String> entry : REDIS.cli().zrangeWithScores(key, 0, -1)) {
                    REDIS.cli().zincrby(key, (double) -time.toMillis(), entry.getValue());
                }
            } else if (key.startsWith("room:") && key.contains(":user:")) {
                String details = TIMES.matcher(REDIS.cli().get(key))
                        .replaceAll(found ->
                                "\"" + found.group(1) + "\":" + (Long.parseLong(found.group(2)) - time.toMillis()));
                REDIS.cli().set(key, details, SetArgs.Builder.keepttl());
            }
            long ends = REDIS.cli().pexpiretime(key);
            if (ends > 0) {
                REDIS.cli().pexpireat(key, ends - time.toMillis());
            }
        }
    }

    @Override
    protected Instant now() {
        List<String> time = REDIS.cli().time();
        return Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1_000);
    }

    @Override
    protected Duration slack() {
        return Duration.ofSeconds(5);
    }

    @Override
    protected void losePresence(Seat seat) {
        REDIS.cli().del(KEYS.presence(seat));
    }

    @Override
    protected void loseDetails(Seat seat) {
        REDIS.cli().del(KEYS.details(seat));
    }

    @Override
    protected void ban(Seat seat, Duration length) {
        REDIS.cli().set(KEYS.bans(seat.room()) + ":" + seat.user().encoded(), "", SetArgs.Builder.px(length));
    }

    @Override
    protected void unban(Seat seat) {
        REDIS.cli().del(KEYS.bans(seat.room()) + ":" + seat.user().encoded());
    }
}
