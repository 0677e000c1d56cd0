package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.user.UserSettings;
import io.hadir.redis.RedisKeys;
import io.hadir.testing.TestRedis;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What Redis holds when its clock has gone back an hour: whatever was to end soon ends an hour later. A real clock
 * that jumps is in the torture run.
 */
class ClockBackIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final String KEY = "room:presence:r:adi";
    private static final String DETAILS = "room:r:user:adi";
    private static final String LAPSES = "hadir:room:r:lapses";
    private static final String RECORD = "hadir:user:adi";
    private static final String ONLINE = "user:adi:online";
    private static final String ACTIVE_ROOM = "user:adi:active_room";
    private static final String LOCK = "hadir:{nodes}:sweep";
    private static final String DONE = "hadir:{nodes}:swept";

    private TestNode node;

    @BeforeEach
    void start() {
        node = TestNode.started(REDIS.url());
    }

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void f56_aGraceThatWouldLastAnHourIsShortenedByTheSweepAndEnds() {
        TestNode.Client adi = node.open("adi");
        TestNode.Client budi = node.open("budi");
        adi.join("r");
        budi.join("r");
        get(adi.close());
        long later = REDIS.cli().pexpiretime(KEY) + HOUR;
        REDIS.cli().pexpireat(KEY, later);
        REDIS.cli()
                .set(
                        DETAILS,
                        REDIS.cli().get(DETAILS).replaceFirst("\"graceUntil\":\\d+", "\"graceUntil\":" + later),
                        SetArgs.Builder.keepttl());
        REDIS.cli().zadd(LAPSES, (double) later, "adi");
        node.sweepWhenItMayJudge();

        await().untilAsserted(() -> assertThat(budi.left()).containsExactly("adi disconnected"));
        assertThat(node.list("r")).containsExactly("budi");
    }

    @Test
    void f56_aLeaseThatWouldLastAnHourIsShortened() {
        String lease = RedisKeys.lease("other");
        REDIS.cli().sadd(RedisKeys.KNOWN_NODES, "other");
        REDIS.cli().set(lease, "{\"leaseMillis\":5000}", SetArgs.Builder.px(HOUR));

        await().until(() -> REDIS.cli().pttl(lease) <= 5000);
    }

    @Test
    void aNodeWithALongerLeaseKeepsIt() {
        String lease = RedisKeys.lease("other");
        REDIS.cli().sadd(RedisKeys.KNOWN_NODES, "other");
        REDIS.cli().set(lease, "{\"leaseMillis\":" + HOUR + "}", SetArgs.Builder.px(HOUR));
        String own = RedisKeys.lease(node.id);
        long renewed = REDIS.cli().pexpiretime(own);
        await().until(() -> REDIS.cli().pexpiretime(own) > renewed);

        assertThat(REDIS.cli().pttl(lease)).isGreaterThan(HOUR / 2);
    }

    @Test
    void f56_aSocketSeenInAnHourExpiresLikeAnyOther() {
        // Sockets count for three seconds.
        UserSettings brief = new UserSettings(
                Duration.ofMillis(300),
                Duration.ofMillis(100),
                TestNode.USERS.rooms(),
                TestNode.USERS.socketsPerUser());
        try (TestNode other = TestNode.started(REDIS.url(), brief)) {
            TestNode.Client adi = other.connect("adi");
            REDIS.cli().hset(RECORD, "dead.s1", (now() + HOUR) + " 1+ 1 elsewhere");
            REDIS.cli().pexpire(RECORD, HOUR);

            await().until(() -> !REDIS.cli().hexists(RECORD, "dead.s1"));
            await().until(() -> REDIS.cli().hexists(RECORD, adi.socket.value())
                    && REDIS.cli().pttl(RECORD) <= TestNode.USERS.rooms().toMillis()
                    && REDIS.cli().exists(ACTIVE_ROOM) == 0);
        }
    }

    @Test
    void f56_aUserWhoWouldBeOnlineForAnHourIsNot() {
        node.open("budi").join("r");
        REDIS.cli().set(ONLINE, "true", SetArgs.Builder.px(HOUR));
        REDIS.cli().set(ACTIVE_ROOM, "elsewhere", SetArgs.Builder.px(HOUR));
        node.sweepWhenItMayJudge();

        assertThat(List.of(ONLINE, ACTIVE_ROOM))
                .allSatisfy(key -> assertThat(REDIS.cli().pttl(key)).isBetween(0L, 90_000L));
    }

    private static long now() {
        return Long.parseLong(REDIS.cli().time().get(0)) * 1000;
    }

    @Test
    void f56_theScanWaitsNeitherForALockNorForAScanOfTheFuture() {
        node.open("adi").join("r");
        REDIS.cli().set(LOCK, "other", SetArgs.Builder.px(HOUR));
        REDIS.cli().set(DONE, "other", SetArgs.Builder.px(10 * HOUR));

        node.sweepWhenItMayJudge();
    }
}
