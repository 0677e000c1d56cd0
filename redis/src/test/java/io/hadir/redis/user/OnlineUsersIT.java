package io.hadir.redis.user;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Disconnects;
import io.hadir.presence.user.UserStatus;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.SetArgs;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which users are online and which room they focus, on two nodes that share a Redis. */
class OnlineUsersIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final UserId ADI = new UserId("adi");
    private static final long NINETY_DAYS = Duration.ofDays(90).toSeconds();

    OnlineUsersIT() {
        super(REDIS);
    }

    @Test
    void aUserIsOnlineFromTheirFirstSocketToTheirLast() {
        assertThat(status(a)).isEqualTo(new UserStatus(ADI, false, null, null));
        TestNode.Client first = a.connect("adi");
        assertThat(REDIS.cli().get("user:adi:online")).isEqualTo("true");
        TestNode.Client second = b.connect("adi");
        long seen = Long.parseLong(REDIS.cli().get("user:adi:last_seen"));
        get(first.close());
        assertThat(status(b).online()).isTrue();
        get(second.close());
        UserStatus status = status(a);
        assertThat(status.online()).isFalse();
        assertThat(status.lastSeen()).isNotNull();
        assertThat(Long.parseLong(REDIS.cli().get("user:adi:last_seen"))).isGreaterThanOrEqualTo(seen);
        assertThat(REDIS.cli().ttl("user:adi:last_seen")).isBetween(NINETY_DAYS - 60, NINETY_DAYS);
        assertThat(REDIS.cli().keys("user:adi:*")).containsExactly("user:adi:last_seen");
        assertThat(REDIS.cli().keys("hadir:user:*")).isEmpty();
    }

    @Test
    void theActiveRoomIsTheLatestFocusAmongTheSocketsOnAllNodes() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        one.join("r1");
        assertThat(active()).isEqualTo("r1");
        two.join("r2");
        assertThat(active()).isEqualTo("r2");
        ok(one.focus("r3"));
        assertThat(active()).as("a room that it is not in").isEqualTo("r3");
        ok(two.blur("r1"));
        assertThat(active()).as("a blur of a room that it does not look at").isEqualTo("r3");
        ok(one.blur("r3"));
        assertThat(active()).as("goes back to the other tab").isEqualTo("r2");
        ok(one.focus("r1"));
        two.leave("r2");
        assertThat(active()).isEqualTo("r1");
        ok(two.focus("r2"));
        ok(one.focus("r1"));
        get(one.close());
        assertThat(active()).as("the loss of the one that looked last").isEqualTo("r2");
        two.leave("r9");
        assertThat(active()).isEqualTo("r2");
        ok(two.blur("r2"));
        assertThat(active()).isNull();
        assertThat(status(a).online()).isTrue();
    }

    @Test
    void aUserRemovedFromARoomNoLongerFocusesIt() {
        TestNode.Client one = a.connect("adi");
        one.join("other");
        one.join("r");
        ok(get(b.presence.kick(new RoomId("r"), ADI, null)));
        await().until(() -> active() == null);
        assertThat(status(a).online()).isTrue();
    }

    @Test
    void aRemovalEndsTheFocusOfSocketsThatNeverJoinedToo() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        TestNode.Client three = b.connect("adi");
        one.join("other");
        one.join("r");
        ok(three.focus("r3"));
        ok(two.focus("r"));
        ok(get(a.presence.kick(new RoomId("r"), ADI, null)));
        await().until(() -> "r3".equals(active()));
        ok(two.focus("r"));
        assertThat(active()).as("it may look again").isEqualTo("r");
    }

    @Test
    void aLeaveOfARoomThatWasOnlyFocusedEndsTheFocus() {
        TestNode.Client one = a.connect("adi");
        ok(one.focus("r"));
        one.leave("other");
        assertThat(active()).isEqualTo("r");
        one.leave("r");
        assertThat(active()).isNull();
        ok(one.focus("r"));
        one.leaveEverywhere("r");
        assertThat(active()).isNull();
    }

    @Test
    void aUserWithoutPermissionForARoomNoLongerFocusesIt() {
        TestNode.Client one = a.connect("adi");
        ok(one.focus("r"));
        get(a.presence.restrict(one.socket, room -> room.value().equals("r")));
        assertThat(active()).isEqualTo("r");
        get(a.presence.restrict(one.socket, room -> room.value().equals("other")));
        assertThat(active()).isNull();
        assertThat(status(a).online()).isTrue();
        ok(one.focus("other"));
        assertThat(active()).isEqualTo("other");
    }

    @Test
    void aJoinThatFailsChangesNothing() {
        REDIS.cli().hset("hadir:room:full:settings", "maxParticipants", "1");
        b.connect("budi").join("full");
        TestNode.Client one = a.connect("adi");
        ok(one.focus("full"));
        assertThat(refused(get(one.tryJoin("full"))).code()).isEqualTo(ErrorCode.ROOM_FULL);
        assertThat(active()).as("it may look at a room without being in it").isEqualTo("full");
        assertThat(ok(get(a.users.rooms(ADI)))).isEmpty();
    }

    @Test
    void theLastStepOfASocketWinsEvenIfItDoesNotWait() {
        TestNode.Client one = a.connect("adi");
        for (int round = 0; round < 30; round++) {
            one.tryJoin("a");
            one.tryFocus("b");
            CompletionStage<Answer<RoomId>> last = a.presence.leave(one.socket, new RoomId("a"), ADI, false);
            if (round % 3 == 1) {
                last = one.tryFocus("c");
            } else if (round % 3 == 2) {
                one.tryJoin("c");
                last = a.presence.leave(one.socket, new RoomId("c"), ADI, false);
            }
            ok(get(last));
            assertThat(active()).isEqualTo(round % 3 == 0 ? "b" : round % 3 == 1 ? "c" : null);
        }
        assertThat(ok(get(b.users.rooms(ADI)))).isEmpty();
    }

    @Test
    void f09_aNodeThatShutsDownLeavesNobodyOnline() {
        a.connect("adi").join("r");
        await().until(() -> b.usersOnline() == 1);
        a.shutDown();
        assertThat(status(b).online()).isFalse();
        assertThat(active()).isNull();
        await().until(() -> b.usersOnline() == 0);
    }

    @Test
    void f26_afterALossOfAllDataEverythingIsThereAgainAsItWas() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        ok(one.focus("r1"));
        ok(two.focus("r2"));
        ok(one.focus("r3"));
        REDIS.cli().flushall();
        await().until(() -> "r3".equals(active()) && REDIS.cli().hlen("hadir:user:adi") == 2);
        ok(one.blur("r3"));
        assertThat(active()).isEqualTo("r2");
        await().untilAsserted(() -> assertThat(a.usersOnline()).isEqualTo(1));
    }

    @Test
    void theLimitOfSocketsPerUserHoldsForConcurrentConnects() {
        int most = TestNode.USERS.socketsPerUser();
        List<SocketId> ids = new ArrayList<>();
        List<CompletionStage<Answer<UserId>>> tried = new ArrayList<>();
        for (int i = 0; i < most + 10; i++) {
            TestNode node = i % 2 == 0 ? a : b;
            ids.add(new SocketId(node.id + ".t" + i));
            tried.add(node.users.connect(ids.get(i), ADI, null));
        }
        int admitted = 0;
        for (CompletionStage<Answer<UserId>> one : tried) {
            Answer<UserId> answer = get(one);
            if (answer instanceof Answer.Ok) {
                admitted++;
            } else {
                assertThat(refused(answer).code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
            }
        }
        assertThat(admitted).isEqualTo(most);
        assertThat(REDIS.cli().hlen("hadir:user:adi")).isEqualTo(most);
        TestNode.Client late = a.open("adi");
        assertThat(refused(get(late.tryJoin("r"))).code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
        assertThat(b.list("r")).isEmpty();
        for (int i = 0; i < ids.size(); i++) {
            get((i % 2 == 0 ? a : b).users.abandoned(ids.get(i)));
        }
        late.join("r");
        assertThat(REDIS.cli().hlen("hadir:user:adi")).isEqualTo(1);
    }

    @Test
    void aSocketThatGoesWhileItConnectsLeavesNothing() {
        for (int i = 0; i < 20; i++) {
            SocketId socket = new SocketId(a.id + ".q" + i);
            CompletionStage<Answer<UserId>> connecting = a.users.connect(socket, ADI, null);
            get(a.users.abandoned(socket));
            get(connecting);
        }
        assertThat(REDIS.cli().keys("hadir:user:*")).isEmpty();
        assertThat(status(a).online()).isFalse();
    }

    @Test
    void g2_theRoomsOfAUserAreThoseWithALivePresence() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        one.join("r1");
        one.join("r2");
        two.join("r2");
        two.join("r3");
        assertThat(rooms()).containsExactly("r1", "r2", "r3");
        one.leave("r2");
        assertThat(rooms()).as("still there with the other tab").containsExactly("r1", "r2", "r3");
        REDIS.cli().del("room:presence:r1:adi");
        assertThat(rooms()).containsExactly("r2", "r3");
        two.leaveEverywhere("r2");
        assertThat(rooms()).containsExactly("r3");
        get(two.close());
        assertThat(rooms()).as("in its grace").containsExactly("r3");
        await().until(() -> rooms().isEmpty());
    }

    @Test
    void everyOnlineUserIsCountedOnce() {
        a.connect("adi");
        b.connect("adi");
        TestNode.Client budi = b.connect("budi");
        await().until(() -> a.usersOnline() == 2);
        get(budi.close());
        await().until(() -> a.usersOnline() == 1);
    }

    @Test
    void aUserWithSocketsOnTwoNodesIsCountedOnceWhicheverGoesFirst() {
        TestNode.Client one = a.connect("adi");
        TestNode.Client two = b.connect("adi");
        await().until(() -> a.usersOnline() == 1);
        await().during(Duration.ofSeconds(3)).atMost(Duration.ofSeconds(30)).until(() -> a.usersOnline() == 1);
        get(one.close());
        await().until(() -> onLoop(b, b.users::led) == 1 && onLoop(a, a.users::led) == 0);
        TestNode.Client three = a.connect("adi");
        get(a.connect("adi").close());
        assertThat(onLoop(a, a.users::led)).isZero();
        get(two.close());
        await().until(() -> onLoop(a, a.users::led) == 1);
        get(three.close());
        assertThat(onLoop(a, a.users::led)).isZero();
        await().until(() -> b.usersOnline() == 0);
    }

    private static int onLoop(TestNode node, Supplier<Integer> question) {
        return get(CompletableFuture.supplyAsync(question, node.link.loop()));
    }

    @Test
    void f54_aNodeThatMissesADemandToDisconnectFindsItAtTheNextRenewal() {
        TestNode.Client missed = a.connect("adi");
        TestNode.Client calm = a.connect("budi");
        REDIS.cli().hdel("hadir:user:adi", missed.socket.value());
        REDIS.cli().del("user:adi:online");
        REDIS.cli().set("hadir:user:adi:demands", " " + missed.socket + " other.s1 \nbye", SetArgs.Builder.ex(60));
        // The user is back on another node, so they are online.
        b.connect("adi");
        await().until(() -> missed.disconnected);
        await().untilAsserted(() ->
                assertThat(REDIS.cli().get("hadir:user:adi:demands")).isEqualTo(" other.s1 \nbye"));
        assertThat(REDIS.cli().ttl("hadir:user:adi:demands")).isBetween(1L, 60L);
        assertThat(status(a).online()).isTrue();
        assertThat(calm.disconnected).isFalse();
    }

    @Test
    void f28_renewalsGoOnWhileRedisIsFull() {
        TestNode.Client adi = a.connect("adi");
        REDIS.cli().configSet("maxmemory", "1");
        try {
            REDIS.cli().hdel("hadir:user:adi", adi.socket.value());
            await().until(() -> REDIS.cli().hexists("hadir:user:adi", adi.socket.value()));
        } finally {
            REDIS.cli().configSet("maxmemory", "0");
        }
    }

    @Test
    void f51_aDisconnectReachesSocketsOnServersOfVersion010() {
        REDIS.cli().hset("hadir:user:adi:sockets", "old.s1", "1763432423123 1 0 ");
        REDIS.cli().expire("hadir:user:adi:sockets", 60);
        List<String> heard = new CopyOnWriteArrayList<>();
        try (StatefulRedisPubSubConnection<String, String> ear = REDIS.client().connectPubSub()) {
            ear.addListener(new RedisPubSubAdapter<>() {
                @Override
                public void message(String channel, String message) {
                    heard.add(message);
                }
            });
            ear.sync().subscribe("hadir:node:old:users");
            TestNode.Client one = a.connect("adi");
            Disconnects disconnects = new Disconnects(b.users, b.presence, Duration.ofMinutes(1));
            assertThat(ok(get(disconnects.disconnect(ADI, "bye", false))).sockets())
                    .isEqualTo(2);
            await().until(() -> one.disconnected && !heard.isEmpty());
            assertThat(heard).allSatisfy(message -> assertThat(message).contains("old.s1", "bye"));
            assertThat(REDIS.cli().hget("hadir:user:adi:sockets", "old.s1")).matches("out \\d{13} bye");
        }
    }

    @Test
    void whateverIsDeletedOfAUserIsThereAgainAfterARenewal() {
        TestNode.Client one = a.connect("adi");
        one.join("r");
        for (String key : List.of("hadir:user:adi", "user:adi:online", "user:adi:active_room", "user:adi:last_seen")) {
            REDIS.cli().del(key);
            await().untilAsserted(
                            () -> assertThat(REDIS.cli().exists(key)).as(key).isOne());
            assertThat(REDIS.cli().pttl(key)).as(key).isPositive();
        }
        REDIS.cli().set("user:adi:active_room", "elsewhere", SetArgs.Builder.ex(60));
        await().untilAsserted(() -> assertThat(active()).isEqualTo("r"));
        assertThat(rooms()).containsExactly("r");
    }

    @Test
    void g3_everyOnlineKeyHasATtl() {
        a.connect("adi").join("r");
        for (String key : List.of("user:adi:online", "user:adi:active_room")) {
            assertThat(REDIS.cli().pttl(key))
                    .as(key)
                    .isBetween(1L, TestNode.USERS.online().toMillis());
        }
    }

    @Test
    void aRestoredUserIsInTheirRoomsButFocusesNone() {
        TestNode.Client one = a.openAuthenticated("adi");
        one.join("r");
        get(one.close());
        TestNode.Client again = b.openAuthenticated("adi");
        get(b.users.connect(again.socket, ADI, null));
        await().until(() -> !again.messages.isEmpty());
        assertThat(rooms()).containsExactly("r");
        assertThat(active()).isNull();
    }

    @Test
    void statusesAreInTheOrderOfTheRequest() {
        a.connect("u3");
        List<UserId> asked = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            asked.add(new UserId("u" + (1000 - i) % 1000));
        }
        List<UserStatus> statuses = ok(get(b.users.status(asked)));
        assertThat(statuses).extracting(UserStatus::user).containsExactlyElementsOf(asked);
        assertThat(statuses.stream().filter(UserStatus::online).map(UserStatus::user))
                .containsExactly(new UserId("u3"));
    }

    private static String active() {
        return REDIS.cli().get("user:adi:active_room");
    }

    private static UserStatus status(TestNode node) {
        return ok(get(node.users.status(List.of(ADI)))).get(0);
    }

    private List<String> rooms() {
        return ok(get(b.users.rooms(ADI))).stream().map(RoomId::value).toList();
    }
}
