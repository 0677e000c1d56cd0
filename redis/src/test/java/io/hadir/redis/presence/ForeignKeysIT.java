package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.user.UserStatus;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.Logs;
import io.hadir.testing.TestRedis;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Another program, or a person with redis-cli, has put something else where Hadir keeps its keys. */
class ForeignKeysIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    ForeignKeysIT() {
        super(REDIS);
    }

    /** What a key may hold instead. */
    enum Junk {
        EMPTY("'SET', KEYS[1], ''"),
        TEXT("'SET', KEYS[1], 'whatever'"),
        LIST("'RPUSH', KEYS[1], 'x'"),
        SET("'SADD', KEYS[1], 'x'"),
        ZSET("'ZADD', KEYS[1], 1, 'x'"),
        HASH("'HSET', KEYS[1], 'x', 'y'"),
        STREAM("'XADD', KEYS[1], '*', 'x', 'y'");

        private final String command;

        Junk(String command) {
            this.command = command;
        }

        /** In one step, so no write comes in between. */
        void put(String key) {
            String script = "redis.call('DEL', KEYS[1]) redis.call(" + command + ")";
            REDIS.cli().eval(script, ScriptOutputType.VALUE, key);
        }

        String user() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Test
    void theNextSweepRemovesPresencesThatNameNoSocket() {
        for (Junk junk : Junk.values()) {
            junk.put("room:presence:r:forever-" + junk.user());
            junk.put("room:presence:r:long-" + junk.user());
            REDIS.cli().expire("room:presence:r:long-" + junk.user(), 1000);
        }
        a.sweepWhenItMayJudge();
        await().untilAsserted(
                        () -> assertThat(REDIS.cli().keys("room:presence:*")).isEmpty());
        assertThat(a.list("r")).isEmpty();
    }

    @Test
    void aSeatWhoseSocketDoesNotHoldItIsSweptAndNotAdopted() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        adi.join("left-behind");
        Map<String, String> left = new HashMap<>();
        for (String key : List.of("room:presence:left-behind:adi", "room:left-behind:user:adi")) {
            left.put(key, REDIS.cli().get(key));
        }
        adi.leave("left-behind");
        // So many others that the socket does not know any more what it left.
        for (int i = 0; i < 2 * TestNode.QUICK.roomsPerSocket(); i++) {
            adi.leave("other" + i);
        }
        left.forEach((key, value) -> REDIS.cli().set(key, value, SetArgs.Builder.ex(1000)));
        REDIS.cli().zadd("hadir:room:left-behind:index", 1, "adi");

        b.sweepWhenItMayJudge();
        await().untilAsserted(
                        () -> assertThat(REDIS.cli().keys("room:presence:*")).containsExactly("room:presence:r:adi"));
        assertThat(adi.messages).isEmpty();
    }

    @Test
    void overwrittenPresencesAreRepairedWithoutNews() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        List<TestNode.Client> users = new ArrayList<>();
        for (Junk junk : Junk.values()) {
            TestNode.Client user = a.open(junk.user());
            user.join("r");
            users.add(user);
        }
        await().until(() -> watcher.joined()
                .containsAll(Stream.of(Junk.values()).map(Junk::user).toList()));
        for (Junk junk : Junk.values()) {
            junk.put("room:presence:r:" + junk.user());
        }
        b.sweepWhenItMayJudge();
        await().untilAsserted(() -> users.forEach(user -> {
            String key = "room:presence:r:" + user.user;
            assertThat(REDIS.cli().type(key)).isEqualTo("string");
            assertThat(REDIS.cli().get(key)).isEqualTo(user.socket.value());
            assertThat(REDIS.cli().ttl(key)).isPositive();
        }));
        users.forEach(user -> {
            ok(user.heartbeat("r"));
            assertThat(user.forceLeave()).isNull();
        });
        assertThat(a.list("r")).hasSize(users.size() + 1);
        assertThat(watcher.left()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void joiningAndLeavingWorkWhereAPresenceHoldsSomethingElse(Junk junk) {
        TestNode.Client adi = a.open("adi");
        junk.put("room:presence:r:adi");
        adi.join("r");
        assertThat(REDIS.cli().get("room:presence:r:adi")).isEqualTo(adi.socket.value());
        junk.put("room:presence:r:adi");
        adi.leave("r");
        assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero();
    }

    @Test
    void aPresenceWithoutATtlGetsOneIfItsSocketIsThereAndGoesIfNot() {
        TestNode.Client adi = a.open("adi");
        TestNode.Client budi = b.open("budi");
        budi.join("r");
        REDIS.cli().persist("room:presence:r:budi");
        REDIS.cli().set("room:presence:r:adi", adi.socket.value());
        REDIS.cli().set("room:presence:r:ghost", b.id + ".nobody");
        REDIS.cli().set("room:presence:r:stranger", "gone.nobody");
        a.sweepWhenItMayJudge();
        ok(budi.heartbeat("r"));
        await().untilAsserted(() -> {
            assertThat(REDIS.cli().keys("room:presence:*"))
                    .containsExactlyInAnyOrder("room:presence:r:adi", "room:presence:r:budi");
            assertThat(REDIS.cli().ttl("room:presence:r:adi")).isPositive();
            assertThat(REDIS.cli().ttl("room:presence:r:budi")).isPositive();
        });
    }

    @Test
    void aRoomsKeyOfTheWrongTypeIsRepairedByTheSweepAndLogged() {
        Map<String, Junk> keys = Map.of(
                "index",
                Junk.LIST,
                "revision",
                Junk.TEXT,
                "lapses",
                Junk.SET,
                "settings",
                Junk.ZSET,
                "bans",
                Junk.HASH);
        Map<String, TestNode.Client> leaving = new HashMap<>();
        Map<String, TestNode.Client> staying = new HashMap<>();
        keys.forEach((name, junk) -> {
            leaving.put(name, a.open("adi"));
            staying.put(name, b.open("budi"));
            leaving.get(name).join("of-" + name);
            staying.get(name).join("of-" + name);
        });
        keys.forEach((name, junk) -> {
            junk.put("hadir:room:of-" + name + ":" + name);
            junk.put("hadir:room:empty:" + name);
        });
        try (Logs logs = Logs.listen()) {
            a.sweepWhenItMayJudge();
            for (String name : keys.keySet()) {
                assertThat(logs.troubles())
                        .anyMatch(line -> line.contains("room of-" + name + ": deleted the key " + name)
                                || line.contains("room of-" + name + ": the " + name + " was not a number"));
                assertThat(logs.troubles()).anyMatch(line -> line.contains("room empty: deleted the key " + name));
            }
        }
        assertThat(REDIS.cli().keys("hadir:room:empty:*")).containsExactly("hadir:room:empty:revision");
        assertThat(REDIS.cli().get("hadir:room:empty:revision")).matches("\\d+");
        assertThat(REDIS.cli().ttl("hadir:room:empty:revision")).isPositive();
        for (String name : keys.keySet()) {
            String room = "of-" + name;
            await().untilAsserted(() -> assertThat(b.list(room)).containsExactlyInAnyOrder("adi", "budi"));
            Objects.requireNonNull(leaving.get(name)).leave(room);
            await().untilAsserted(() -> assertThat(b.list(room)).containsExactly("budi"));
            await().until(() -> isTold(Objects.requireNonNull(staying.get(name)), "adi left"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "hadir:room:r:index, LIST", "hadir:room:r:index, EMPTY", "hadir:room:r:revision, ZSET",
        "hadir:room:r:revision, TEXT", "hadir:room:r:lapses, TEXT", "hadir:room:r:settings, LIST",
        "room:r:user:adi, HASH", "room:r:user:budi, LIST", "hadir:room:r:history:adi, SET"
    })
    void aRoomWithAKeyOfTheWrongTypeIsRepairedByTheNextJoinOrLeave(String key, Junk junk) {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        await().until(() -> watcher.joined().contains("adi"));
        junk.put(key);
        TestNode.Client budi = b.open("budi");
        budi.join("r");
        await().untilAsserted(() -> assertThat(a.list("r")).containsExactlyInAnyOrder("watcher", "adi", "budi"));
        await().until(() -> watcher.joined().contains("budi") || isTold(watcher, ""));
        watcher.news.clear();
        junk.put(key);
        adi.leave("r");
        budi.leave("r");
        await().untilAsserted(() -> assertThat(b.list("r")).containsExactly("watcher"));
        await().until(() -> isTold(watcher, "adi left") && isTold(watcher, "budi left"));
        assertThat(adi.forceLeave()).isNull();
        assertThat(watcher.forceLeave()).isNull();
    }

    /** Whether a client got this news or was asked to list again. */
    private static boolean isTold(TestNode.Client client, String left) {
        return client.left().contains(left) || client.news.stream().anyMatch(RoomNews::truncated);
    }

    @ParameterizedTest
    @ValueSource(strings = {"online", "active_room", "last_seen"})
    void aUsersKeyOfTheWrongTypeIsReplaced(String name) {
        TestNode.Client adi = a.connect("adi");
        adi.join("r");
        Junk.LIST.put("user:adi:" + name);
        ok(adi.focus("r"));
        await().untilAsserted(() -> {
            UserStatus status = ok(get(a.users.status(List.of(adi.user)))).get(0);
            assertThat(status.online()).isTrue();
            assertThat(status.activeRoom()).isEqualTo(new RoomId("r"));
            assertThat(status.lastSeen()).isNotNull();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hadir:user:adi",
                "hadir:user:adi:revoked",
                "hadir:user:adi:demands",
                "hadir:user:adi:watchers",
                "hadir:user:adi:unread",
                "room:r:unread:adi",
                "hadir:user:adi:grace"
            })
    void aUsersOwnKeysOfTheWrongTypeAreReplaced(String key) {
        Junk.LIST.put(key);
        TestNode.Client adi = a.openAuthenticated("adi");
        adi.join("r");
        ok(adi.focus("r"));
        await().untilAsserted(() -> assertThat(ok(get(a.users.rooms(adi.user)))).containsExactly(new RoomId("r")));
        get(adi.close());
        TestNode.Client again = b.openAuthenticated("adi");
        await().untilAsserted(() -> assertThat(again.messages).anyMatch(SocketMessage.Restored.class::isInstance));
    }

    @Test
    void anOnlineKeyThatDoesNotExpireInTimeIsMadeToByTheSweep() {
        TestNode.Client adi = a.connect("adi");
        adi.join("r");
        REDIS.cli().persist("user:adi:online");
        REDIS.cli().set("user:ghost:online", "true");
        REDIS.cli().set("user:later:online", "true");
        REDIS.cli().expire("user:later:online", 3600);
        Junk.HASH.put("user:list:online");
        a.sweepWhenItMayJudge();
        for (String user : List.of("adi", "ghost", "later", "list")) {
            assertThat(REDIS.cli().ttl("user:" + user + ":online")).as(user).isBetween(0L, 90L);
        }
        assertThat(ok(get(a.users.status(List.of(adi.user)))).get(0).online()).isTrue();
    }
}
