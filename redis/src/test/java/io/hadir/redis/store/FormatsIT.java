package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Message;
import io.hadir.testing.TestRedis;
import io.lettuce.core.ScoredValue;
import io.lettuce.core.SetArgs;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * What servers of different versions read of each other, as version 0.1.0 writes it. Who changes something here makes
 * sure that older servers can live with it: fields and keys may be added, what is there keeps its name and its
 * meaning.
 */
class FormatsIT {
    private static final JsonMapper SORTED = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** With a grace period that no test can outlast. */
    private static final PresenceSettings PATIENT = new PresenceSettings(
            TestNode.QUICK.ttl(),
            TestNode.QUICK.heartbeat(),
            Duration.ofSeconds(50),
            TestNode.QUICK.sweep(),
            TestNode.QUICK.lease(),
            TestNode.QUICK.namesLimit(),
            TestNode.QUICK.roomsPerSocket());

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    @Test
    void f51_keysAndValuesAreThoseOfVersion010() {
        try (TestNode node = TestNode.started(REDIS.url())) {
            TestNode.Client adi = node.connect("adi");
            adi.join("r");
            ok(adi.focus("r"));
            ok(get(node.users.message(
                    new Message(new RoomId("other"), new UserId("budi"), List.of(new UserId("adi")), "{}"))));

            await().untilAsserted(() -> assertThat(dump(node)).isEqualTo("""
                    hadir:node:{NODE}:rooms = [., r]
                    hadir:room:r:index = {adi=MS}
                    hadir:room:r:revision = MS
                    hadir:user:adi = {NODE.s1=MS 3+ MS r}
                    hadir:user:adi:unread = [other]
                    hadir:{nodes}:known = [NODE]
                    hadir:{nodes}:lease:NODE = {"users":1}
                    hadir:{nodes}:signs = {NODE=MS {"users":1}}
                    hadir:{rooms}:occupied = {r=0}
                    room:other:unread:adi = 1
                    room:presence:r:adi = NODE.s1
                    room:r:user:adi = {"joinedAt":MS,"lastActiveAt":MS,"roomId":"r","socketId":"NODE.s1","turn":1,"userId":"adi","username":"adi"}
                    user:adi:active_room = r
                    user:adi:last_seen = MS
                    user:adi:online = true
                    """));
            node.connect("adi").join("r");
            assertThat(dump(node))
                    .contains("\"socketId\":\"NODE.s2\",\"sockets\":{\"NODE.s1\":1,\"NODE.s2\":1},\"userId\"");
        }
    }

    @Test
    void f51_messagesAreThoseThatVersion010Understands() {
        List<String> heard = new CopyOnWriteArrayList<>();
        try (TestNode node = TestNode.started(REDIS.url());
                StatefulRedisPubSubConnection<String, String> ear =
                        REDIS.client().connectPubSub()) {
            ear.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void smessage(String channel, String message) {
                    heard.add(masked(message, node));
                }
            });
            ear.sync().ssubscribe("hadir:room:r:changes");
            TestNode.Client adi = node.connect("adi");
            adi.join("r");
            adi.leave("r");
            TestNode.Client again = node.connect("adi");
            again.join("r");
            again.join("r", "Adi");
            get(again.close());

            String joined =
                    "{\"alive\":1,\"joined\":{\"joinedAt\":MS,\"lastActiveAt\":MS,\"userId\":\"adi\",\"username\":\"adi\"},\"revision\":MS}";
            String updated =
                    "{\"alive\":1,\"revision\":MS,\"updated\":{\"joinedAt\":MS,\"lastActiveAt\":MS,\"userId\":\"adi\",\"username\":\"Adi\"}}";
            String left = "{\"alive\":0,\"left\":{\"reason\":\"left\",\"userId\":\"adi\"},\"revision\":MS}";
            await().untilAsserted(
                            () -> assertThat(heard).startsWith(joined, left, joined, updated, "{\"lapse\":1500}"));
        }
    }

    @Test
    void f51_whatANewerServerAddsIsIgnored() {
        try (TestNode node = TestNode.started(REDIS.url())) {
            TestNode.Client adi = node.connect("adi");
            adi.join("r");
            String details = REDIS.cli().get("room:r:user:adi");
            REDIS.cli().set("room:r:user:adi", details.replaceFirst("\\{", "{\"mood\":{\"is\":[\"new\"]},"));
            REDIS.cli().sadd("hadir:{nodes}:known", "newer");
            REDIS.cli().set("hadir:{nodes}:lease:newer", "{\"version\":\"9.0.0\",\"zone\":{}}", SetArgs.Builder.ex(60));
            REDIS.cli().spublish("hadir:room:r:changes", "{\"moved\":{\"userId\":\"adi\"},\"revision\":1}");
            REDIS.cli().spublish("hadir:room:r:changes", "{\"lapse\":60000,\"until\":[]}");

            TestNode.Client budi = node.connect("budi");
            budi.join("r");
            assertThat(node.list("r")).containsExactly("adi", "budi");
            ok(adi.heartbeat("r"));
            budi.leave("r");
            await().until(() -> !adi.news.isEmpty() && node.list("r").equals(List.of("adi")));
            adi.leave("r");
            assertThat(node.list("r")).isEmpty();
        }
    }

    @Test
    void f51_roomsToRestoreThatVersion010RememberedAreRestored() {
        try (TestNode node = TestNode.started(REDIS.url(), PATIENT)) {
            TestNode.Client adi = node.openAuthenticated("adi");
            adi.join("r");
            get(adi.close());
            asVersion010Remembers("r");

            TestNode.Client again = node.openAuthenticated("adi");
            get(node.presence.settled(again.socket));
            assertThat(restored(again)).containsExactly("r");
        }
    }

    @Test
    void f51_aUserWhoseGracePeriodMayHaveEndedJoinsNoOtherTab() {
        try (TestNode node = TestNode.started(REDIS.url(), PATIENT)) {
            node.openAuthenticated("adi").join("r");
            asVersion010Remembers("r");

            TestNode.Client other = node.openAuthenticated("adi");
            get(node.presence.settled(other.socket));
            assertThat(restored(other)).isEmpty();
        }
    }

    @Test
    void f51_roomsToRestoreThatVersion010RememberedAreKept() {
        try (TestNode node = TestNode.started(REDIS.url(), PATIENT)) {
            TestNode.Client older = node.openAuthenticated("adi");
            TestNode.Client newer = node.openAuthenticated("adi");
            older.join("older");
            newer.join("newer");
            get(older.close());
            asVersion010Remembers("older");
            get(newer.close());

            TestNode.Client again = node.openAuthenticated("adi");
            get(node.presence.settled(again.socket));
            assertThat(restored(again)).containsExactlyInAnyOrder("older", "newer");
        }
    }

    private static void asVersion010Remembers(String room) {
        String key = "hadir:user:adi:grace";
        REDIS.cli().del(key);
        REDIS.cli().sadd(key, room);
        REDIS.cli().expire(key, 60);
    }

    private static List<String> restored(TestNode.Client client) {
        return client.messages.stream()
                .filter(SocketMessage.Restored.class::isInstance)
                .map(message -> ((SocketMessage.Restored) message)
                        .joined()
                        .seat()
                        .room()
                        .value())
                .toList();
    }

    private static String dump(TestNode node) {
        TreeMap<String, String> all = new TreeMap<>();
        for (String key : REDIS.cli().keys("*")) {
            all.put(masked(key, node), masked(value(key), node));
        }
        StringBuilder text = new StringBuilder();
        all.forEach((key, value) -> text.append(key).append(" = ").append(value).append('\n'));
        return text.toString();
    }

    private static String value(String key) {
        return switch (REDIS.cli().type(key)) {
            case "string" -> REDIS.cli().get(key);
            case "hash" -> new TreeMap<>(REDIS.cli().hgetall(key)).toString();
            case "set" -> new TreeSet<>(REDIS.cli().smembers(key)).toString();
            case "zset" ->
                REDIS.cli().zrangeWithScores(key, 0, -1).stream()
                        .collect(Collectors.toMap(
                                ScoredValue::getValue, entry -> (long) entry.getScore(), (a, b) -> a, TreeMap::new))
                        .toString();
            default -> REDIS.cli().type(key);
        };
    }

    /** Without what is another in every run; the fields of objects in the order of the alphabet. */
    private static String masked(String text, TestNode node) {
        String sorted =
                text.startsWith("{\"") ? SORTED.writeValueAsString(SORTED.readValue(text, TreeMap.class)) : text;
        return sorted.replace(node.id, "NODE").replaceAll("\\b\\d{13}\\b", "MS");
    }
}
