package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Listing;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.FaultProxy;
import io.hadir.testing.RedisProcess;
import io.lettuce.core.RedisClient;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A Redis that is killed and starts again from a file that lacks the last changes. */
class OlderDataIT {
    @TempDir
    Path directory = Path.of("");

    @Test
    void f53_clientsListAgainAndUsersWithoutAPresenceGetAForceLeave() throws Exception {
        try (RedisProcess redis = new RedisProcess(directory, false);
                TestNode a = TestNode.started(redis.url());
                TestNode b = TestNode.started(redis.url())) {
            TestNode.Client adi = a.open("adi");
            TestNode.Client budi = b.open("budi");
            TestNode.Client gone = b.open("gone");
            adi.join("r");
            gone.join("r");
            budi.join("r");
            save(redis);
            gone.leave("r");
            TestNode.Client citra = b.open("citra");
            citra.join("r");
            await().until(() -> adi.joined().contains("citra"));
            redis.kill();
            redis.startAgain();
            await().until(() -> a.link.isUp() && b.link.isUp());
            await().until(() -> seesTheTruth(adi, a) && seesTheTruth(budi, b));
            await().until(() -> citra.forceLeave() != null);
            assertThat(Objects.requireNonNull(citra.forceLeave()).reason()).isEqualTo(RemovalReason.PRESENCE_LOST);

            TestNode.Client dewi = b.open("dewi");
            dewi.join("r");
            await().until(() -> adi.joined().contains("dewi") || seesTheTruth(adi, a));
            b.sweepWhenItMayJudge();
            await().untilAsserted(() -> assertThat(a.list("r")).containsExactly("adi", "budi", "dewi"));
            await().untilAsserted(() -> assertThat(adi.left()).contains("gone left"));
        }
    }

    @Test
    void f53_changesThatTakeTheNumbersOfLostOnesAreSeen() throws Exception {
        try (RedisProcess redis = new RedisProcess(directory, false);
                FaultProxy proxy = new FaultProxy(URI.create(redis.url()).getPort());
                TestNode a = TestNode.started("redis://127.0.0.1:" + proxy.port());
                TestNode b = TestNode.started(redis.url())) {
            TestNode.Client adi = a.open("adi");
            TestNode.Client budi = b.open("budi");
            adi.join("r");
            budi.join("r");
            save(redis);
            TestNode.Client citra = a.open("citra");
            citra.join("r");
            await().until(() -> adi.joined().contains("citra"));
            long told = lastRevision(adi);
            proxy.refuse();
            redis.kill();
            redis.startAgain();
            await().until(() -> b.link.isUp());
            TestNode.Client dewi = b.open("dewi");
            dewi.join("r");
            // Whatever b raised the room to, it now stands where a heard it last: only the process tells them apart.
            set(redis, "hadir:room:r:revision", Long.toString(told));
            proxy.heal();
            await().until(() -> a.link.isUp());
            await().until(() -> lastRevision(adi) > told
                    && adi.news.get(adi.news.size() - 1).truncated());
            await().until(() -> citra.forceLeave() != null);
            assertThat(a.list("r")).containsExactly("adi", "budi", "dewi");
        }
    }

    @Test
    void f16_aRedisThatLostNothingRemovesNobody() throws Exception {
        try (RedisProcess redis = new RedisProcess(directory, false);
                TestNode a = TestNode.started(redis.url())) {
            TestNode.Client adi = a.open("adi");
            adi.join("r");
            save(redis);
            long told =
                    ok(get(a.presence.list(new RoomId("r"), null, 1))).page().revision();
            redis.kill();
            redis.startAgain();
            await().until(() -> lastRevision(adi) > told);
            ok(adi.heartbeat("r"));
            assertThat(adi.messages).isEmpty();
            assertThat(adi.left()).isEmpty();
        }
    }

    /**
     * Whether the client was asked to list again or got all changes, up to the revision at which its node lists the
     * room.
     */
    private static boolean seesTheTruth(TestNode.Client client, TestNode node) {
        Listing now = ok(get(node.presence.list(new RoomId("r"), null, 100)));
        List<RoomNews> news = client.news;
        return news.stream().anyMatch(RoomNews::truncated)
                && lastRevision(client) >= now.page().revision();
    }

    private static long lastRevision(TestNode.Client client) {
        return client.news.isEmpty()
                ? 0
                : client.news.get(client.news.size() - 1).revision();
    }

    private static void save(RedisProcess redis) {
        try (RedisClient client = RedisClient.create(redis.url())) {
            client.connect().sync().save();
        }
    }

    private static void set(RedisProcess redis, String key, String value) {
        try (RedisClient client = RedisClient.create(redis.url())) {
            client.connect().sync().set(key, value);
        }
    }
}
