package io.hadir.redis.user;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Delivery;
import io.hadir.presence.user.Message;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Unread counters and notifications, on two nodes that share a Redis. */
class MessagesIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final UserId ADI = new UserId("adi");
    private static final UserId SENDER = new UserId("sender");
    private static final RoomId ROOM = new RoomId("r");

    private static final Pattern REFUSED_SCRIPTS = Pattern.compile("cmdstat_evalsha:.*rejected_calls=(\\d+)");

    MessagesIT() {
        super(REDIS);
    }

    @Test
    void aMessageIsCountedForUsersWhoDoNotFocusTheRoom() {
        a.connect("looking").join("r");
        a.connect("elsewhere").join("other");
        b.connect("nowhere");
        assertThat(send("looking", "elsewhere", "nowhere", "offline"))
                .containsExactly(
                        new Delivery(new UserId("looking"), 0, true, false),
                        new Delivery(new UserId("elsewhere"), 1, true, true),
                        new Delivery(new UserId("nowhere"), 1, true, true),
                        new Delivery(new UserId("offline"), 1, false, true));
        assertThat(send("offline")).containsExactly(new Delivery(new UserId("offline"), 2, false, true));
        assertThat(REDIS.cli().get("room:r:unread:offline")).isEqualTo("2");
        assertThat(REDIS.cli().ttl("room:r:unread:offline"))
                .isGreaterThan(Duration.ofDays(89).toSeconds());
        assertThat(REDIS.cli().exists("room:r:unread:looking")).isZero();
    }

    @Test
    void theSenderIsSkippedDuplicatesCountOnceAndTheOrderIsKept() {
        assertThat(send("c", "sender", "a", "c", "b", "a"))
                .extracting(delivery -> delivery.user().value())
                .containsExactly("c", "a", "b");
        assertThat(REDIS.cli().get("room:r:unread:a")).isEqualTo("1");
        assertThat(REDIS.cli().exists("room:r:unread:sender")).isZero();
        assertThat(send("sender")).isEmpty();
    }

    @Test
    void theKeysOnlineAndActiveRoomDecide() {
        REDIS.cli().set("user:adi:active_room", "r");
        assertThat(send("adi")).as("not online").containsExactly(new Delivery(ADI, 1, false, true));
        REDIS.cli().set("user:adi:online", "true");
        assertThat(send("adi")).as("looks there").containsExactly(new Delivery(ADI, 1, true, false));
        REDIS.cli().set("user:adi:active_room", "elsewhere");
        REDIS.cli().set("room:r:unread:adi", "no number");
        assertThat(send("adi")).containsExactly(new Delivery(ADI, 1, true, true));
    }

    @Test
    void aCounterThatIsNoCountIsZero() {
        TestNode.Client one = a.connect("adi");
        String most = Long.toString((1L << 53) - 1);
        for (String odd : List.of("99999999999999999999", "-5", "1e3", "2.5", "0x10", "", "9007199254740992")) {
            REDIS.cli().set("room:r:unread:adi", odd);
            REDIS.cli().sadd("hadir:user:adi:unread", "r");
            assertThat(unread()).as(odd).isEmpty();
            assertThat(ok(get(a.users.unread(ADI, List.of(ROOM))))).as(odd).containsExactly(Map.entry(ROOM, 0L));
            assertThat(send("adi")).as(odd).containsExactly(new Delivery(ADI, 1, true, true));
            REDIS.cli().set("room:r:unread:adi", odd);
            ok(one.focus("r"));
            assertThat(REDIS.cli().get("room:r:unread:adi")).as(odd).isEqualTo("0");
            ok(one.blur("r"));
        }
        REDIS.cli().set("room:r:unread:adi", "9007199254740989");
        assertThat(send("adi").get(0).unread()).isEqualTo(9007199254740990L);
        send("adi");
        assertThat(send("adi").get(0).unread()).as("the highest").isEqualTo(9007199254740991L);
        assertThat(REDIS.cli().get("room:r:unread:adi")).isEqualTo(most);
        assertThat(unread()).containsExactly(Map.entry(ROOM, 9007199254740991L));
        await().until(() -> one.unread().contains("r=9007199254740990")
                && one.unread().get(one.unread().size() - 1).equals("r=" + most));
    }

    @Test
    void keysOfTheWrongTypeDoNotStopMessages() {
        for (String key : List.of("hadir:user:adi:unread", "hadir:user:adi", "hadir:user:adi:demands")) {
            REDIS.cli().set(key, "a string");
        }
        REDIS.cli().lpush("room:r:unread:adi", "a", "list");
        REDIS.cli().lpush("user:adi:active_room", "a", "list");
        assertThat(send("adi", "budi")).extracting(Delivery::unread).containsExactly(1L, 1L);
        REDIS.cli().set("hadir:user:adi:unread", "a string");
        assertThat(unread()).isEmpty();
        REDIS.cli().set("hadir:user:adi:unread", "a string");
        REDIS.cli().set("hadir:user:adi", "a string");
        TestNode.Client one = a.connect("adi");
        one.join("r");
        assertThat(REDIS.cli().get("room:r:unread:adi")).isEqualTo("0");
        assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("r");
        assertThat(ok(get(b.users.rooms(ADI)))).containsExactly(ROOM);
    }

    @Test
    void focusJoinAndTheWayBackToARoomSetUnreadToZero() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        send("adi");
        ok(one.focus("r"));
        assertThat(unread()).isEmpty();
        assertThat(REDIS.cli().get("room:r:unread:adi")).isEqualTo("0");
        ok(two.focus("other"));
        send("adi");
        send("adi");
        assertThat(unread()).containsExactly(Map.entry(ROOM, 2L));
        ok(two.blur("other"));
        assertThat(unread()).as("the first tab still looks at it").isEmpty();
        two.join("other");
        send("adi");
        one.join("r");
        assertThat(unread()).isEmpty();
        await().until(() -> two.unread().equals(List.of("r=1", "r=0", "r=1", "r=2", "r=0", "r=1", "r=0")));
        await().until(() -> one.unread().equals(two.unread()));
    }

    @Test
    void countersAreListedReadAndCleared() {
        for (int i = 0; i < 1200; i++) {
            get(a.users.message(new Message(new RoomId("r" + i), SENDER, List.of(ADI), null)));
        }
        assertThat(unread()).hasSize(1200).containsEntry(new RoomId("r7"), 1L);
        TestNode.Client one = a.connect("adi");
        ok(get(b.users.clearUnread(new RoomId("r7"), ADI)));
        ok(get(b.users.clearUnread(new RoomId("never"), ADI)));
        REDIS.cli().del("room:r8:unread:adi");
        assertThat(unread()).hasSize(1198).doesNotContainKey(new RoomId("r7"));
        assertThat(REDIS.cli().scard("hadir:user:adi:unread")).isEqualTo(1198);
        await().until(() -> one.unread().equals(List.of("r7=0")));
        List<RoomId> asked = List.of(new RoomId("r9"), new RoomId("r7"), new RoomId("never"));
        assertThat(ok(get(a.users.unread(ADI, asked))))
                .containsExactly(Map.entry(asked.get(0), 1L), Map.entry(asked.get(1), 0L), Map.entry(asked.get(2), 0L));
        assertThat(ok(get(a.users.unread(ADI, List.of())))).isEmpty();
    }

    @Test
    void aUserWhoFocusesAnotherRoomIsNotifiedOnEverySocketOfEveryNode() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        TestNode.Client looking = b.connect("looking");
        looking.join("r");
        send(a, "{\"text\":\"halo\",\"n\":[1,2.5,null]}", "adi", "looking", "offline");
        send(b, null, "adi");
        for (TestNode.Client client : List.of(one, two)) {
            await().until(() -> notifications(client).size() == 2);
            assertThat(notifications(client))
                    .containsExactly(
                            new SocketMessage.Notification(ROOM, SENDER, 1, "{\"text\":\"halo\",\"n\":[1,2.5,null]}"),
                            new SocketMessage.Notification(ROOM, SENDER, 2, null));
            assertThat(client.unread()).containsExactly("r=1", "r=2");
        }
        assertThat(looking.messages).isEmpty();
    }

    @Test
    void aMessageForTenThousandIsCountedForEach() {
        // So that classes and scripts are there, which on a busy machine takes longer than a command may.
        send("first");
        AtomicInteger attempts = new AtomicInteger();
        await().until(() -> isCountedForEach(attempts.incrementAndGet()));
    }

    /** Whether a message to new users was sent; on a busy machine, one of so many commands may take too long. */
    private boolean isCountedForEach(int attempt) {
        String[] all =
                IntStream.range(0, 10_000).mapToObj(i -> attempt + "-" + i).toArray(String[]::new);
        a.connect(all[77]).join("r");
        TestNode.Client told = b.connect(all[78]);
        List<UserId> users = Stream.of(all).map(UserId::new).toList();
        Answer<List<Delivery>> answer = get(a.users.message(new Message(ROOM, SENDER, users, null)));
        if (answer instanceof Answer.Refused) {
            assertThat(refused(answer).code()).isEqualTo(ErrorCode.PRESENCE_UNAVAILABLE);
            return false;
        }
        List<Delivery> deliveries = ok(answer);
        assertThat(deliveries).extracting(delivery -> delivery.user().value()).containsExactly(all);
        assertThat(deliveries).filteredOn(Delivery::shouldNotify).hasSize(9_999);
        assertThat(deliveries).filteredOn(Delivery::online).hasSize(2);
        await().until(() -> notifications(told).size() == 1);
        return true;
    }

    @Test
    void afterACutFeedTheSocketsKnowTheCountersAgain() {
        TestNode.Client one = a.connect("adi");
        for (int round = 0; round < 5; round++) {
            send(b, null, "adi");
            REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
            send(b, null, "adi");
            awaitTold(one);
            REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
            ok(get(b.users.clearUnread(ROOM, ADI)));
            awaitTold(one);
        }
    }

    @Test
    void aCatchUpThatFailsIsTriedUntilItHasWorked() {
        TestNode.Client one = a.connect("adi");
        REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.EVALSHA));
        try {
            REDIS.cli().sadd("hadir:user:adi:unread", "r");
            REDIS.cli().set("room:r:unread:adi", "5");
            REDIS.cli().clientKill(KillArgs.Builder.typePubsub());
            String channel = "hadir:node:" + a.id + ":users";
            await().until(() -> REDIS.cli().pubsubNumsub(channel).equals(Map.of(channel, 1L)));
            // The first try fails as the renewals do, which are many by the time that so many have failed.
            long failed = refusedScripts();
            await().until(() -> refusedScripts() > failed + 20);
        } finally {
            REDIS.cli().aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.EVALSHA));
        }
        await().until(() -> one.unread().equals(List.of("r=5")));
    }

    private static long refusedScripts() {
        Matcher refused = REFUSED_SCRIPTS.matcher(REDIS.cli().info("commandstats"));
        return refused.find() ? Long.parseLong(refused.group(1)) : 0;
    }

    private static void awaitTold(TestNode.Client client) {
        await().until(() -> {
            List<String> told = client.unread();
            String now = "r=" + REDIS.cli().get("room:r:unread:adi");
            return !told.isEmpty() && told.get(told.size() - 1).equals(now);
        });
    }

    /** The counts that the client got, in order: every step up is one message, and there is no other step. */
    @Test
    void messagesRacingWithFocusAndBlurLoseNoCountAndAFocusedRoomHasNoUnread() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        int counted = 0;
        for (int round = 0; round < 20; round++) {
            List<CompletionStage<?>> moves = new ArrayList<>();
            List<CompletionStage<Answer<List<Delivery>>>> sent = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                TestNode from = i % 2 == 0 ? a : b;
                sent.add(from.users.message(new Message(ROOM, SENDER, List.of(ADI), null)));
                TestNode.Client mover = i % 3 == 0 ? one : two;
                moves.add(
                        switch ((i + round) % 7) {
                            case 0, 3 -> mover.tryFocus("r");
                            case 1 -> mover.tryFocus("other");
                            case 2, 5 -> mover.tryBlur("r");
                            case 4 -> mover.tryJoin("r");
                            default -> mover.tryBlur("other");
                        });
            }
            moves.forEach(move -> get(move));
            for (var answer : sent) {
                Delivery delivery = ok(get(answer)).get(0);
                assertThat(delivery.shouldNotify()).isEqualTo(delivery.unread() > 0);
                counted += delivery.shouldNotify() ? 1 : 0;
            }
            String active = REDIS.cli().get("user:adi:active_room");
            if ("r".equals(active)) {
                assertThat(unread()).isEmpty();
            }
        }
        ok(one.blur("r"));
        ok(two.blur("r"));
        counted += 1;
        long last = send("adi").get(0).unread();
        int expected = counted;
        for (TestNode.Client client : List.of(one, two)) {
            await().until(() ->
                    client.unread().stream().filter(told -> !told.equals("r=0")).count() == expected);
            long before = 0;
            for (String told : client.unread()) {
                long now = Long.parseLong(told.substring(2));
                assertThat(now).as("%s after %d", told, before).isIn(before + 1, 0L);
                before = now;
            }
            assertThat(before).isEqualTo(last);
        }
        assertThat(counted).isBetween(50, 2000);
    }

    private List<Delivery> send(String... recipients) {
        return send(a, null, recipients);
    }

    private static List<Delivery> send(TestNode from, @Nullable String data, String... recipients) {
        List<UserId> users = Stream.of(recipients).map(UserId::new).toList();
        return ok(get(from.users.message(new Message(ROOM, SENDER, users, data))));
    }

    private Map<RoomId, Long> unread() {
        return ok(get(b.users.unread(ADI)));
    }

    private static List<SocketMessage> notifications(TestNode.Client client) {
        return client.messages.stream()
                .filter(SocketMessage.Notification.class::isInstance)
                .toList();
    }
}
