package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.embedded.EmbeddedCluster;
import io.hadir.embedded.EmbeddedRedis;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Message;
import io.hadir.presence.user.UserStatus;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.RedisTls;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * {@code --redis-prefix} keeps two apps in one Redis apart, and {@link ForeignPresences} finds keys of another
 * program.
 */
class PrefixIT {
    private static EmbeddedRedis redis;
    private static RedisClient client;
    private static RedisCommands<String, String> cli;

    @BeforeAll
    static void start() throws IOException {
        redis = EmbeddedRedis.start();
        client = RedisClient.create(redis.url());
        cli = client.connect().sync();
    }

    @AfterAll
    static void stop() {
        client.shutdown();
        redis.close();
    }

    @BeforeEach
    void empty() {
        cli.flushall();
    }

    @Test
    void twoAppsInOneRedisDoNotSeeEachOther() {
        comeAndGo(redis.url());
        List<String> keys = cli.keys("*");
        assertThat(keys).isNotEmpty().allMatch(key -> key.startsWith("app-1:") || key.startsWith("app-2:"));
        assertThat(keys).contains("app-1:room:presence:r:adi", "app-2:room:presence:r:budi", "app-1:user:adi:online");
    }

    @Test
    void theSameInACluster() throws IOException {
        try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
            comeAndGo(cluster.url());
        }
    }

    private static void comeAndGo(String url) {
        try (TestNode one = TestNode.started(address(url, "app-1:"));
                TestNode other = TestNode.started(address(url, "app-1:"));
                TestNode elsewhere = TestNode.started(address(url, "app-2:"))) {
            TestNode.Client adi = one.open("adi");
            adi.join("r");
            elsewhere.open("budi").join("r");
            TestNode.Client citra = other.open("citra");
            citra.join("r");
            await().untilAsserted(() -> assertThat(adi.joined()).contains("citra"));
            assertThat(one.list("r")).containsExactly("adi", "citra");
            assertThat(elsewhere.list("r")).containsExactly("budi");
            assertThat(TestNode.ok(TestNode.get(one.users.status(List.of(new UserId("adi"), new UserId("budi"))))))
                    .extracting(UserStatus::online)
                    .containsExactly(true, false);

            // The message reaches the node of a user's socket by a channel whose name a script makes.
            citra.blur("r");
            TestNode.ok(TestNode.get(one.users.message(
                    new Message(new RoomId("r"), new UserId("adi"), List.of(new UserId("citra")), null))));
            await().untilAsserted(() -> assertThat(citra.unread()).isNotEmpty());
            citra.focus("r");
            await().untilAsserted(() -> assertThat(citra.unread()).endsWith("r=0"));

            one.sweepWhenItMayJudge();
            elsewhere.sweepWhenItMayJudge();
            assertThat(one.list("r")).containsExactly("adi", "citra");
            assertThat(elsewhere.list("r")).containsExactly("budi");
            citra.leave("r");
            await().untilAsserted(() -> assertThat(adi.left()).anyMatch(left -> left.contains("citra")));
        }
    }

    @Test
    void findsPresencesOfAnotherProgramInARedisWithoutHadir() {
        assertThat(found("")).isEmpty();
        cli.set("room:presence:123:45", "abc", SetArgs.Builder.ex(60));
        assertThat(found("")).contains("room:presence:123:45");
        assertThat(found("mine:")).isEmpty();
    }

    @Test
    void aPresenceBesideAKeyOfHadirIsOurOwn() {
        cli.set("room:presence:123:45", "abc", SetArgs.Builder.ex(60));
        cli.zadd("hadir:room:123:index", 1, "45");
        assertThat(found("")).isEmpty();
    }

    @Test
    void aMarkedRedisIsNotSearchedAgain() {
        try (RedisLink link = new RedisLink(address(redis.url(), ""))) {
            link.open().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
            TestNode.get(ForeignPresences.mark(link));
        }
        cli.set("room:presence:123:45", "abc", SetArgs.Builder.ex(60));
        assertThat(found("")).isEmpty();
        assertThat(cli.ttl("hadir:{nodes}:used")).isPositive();
    }

    private static Optional<String> found(String prefix) {
        try (RedisLink link = new RedisLink(address(redis.url(), prefix))) {
            link.open().toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
            return TestNode.get(ForeignPresences.find(link));
        }
    }

    private static RedisAddress address(String url, String prefix) {
        return RedisAddress.parse(url, RedisTls.NONE, prefix);
    }
}
