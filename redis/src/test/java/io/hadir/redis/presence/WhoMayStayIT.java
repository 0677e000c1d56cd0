package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import io.lettuce.core.SetArgs;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** How users leave a room, are kicked or lose their presence, and how they get back in. */
class WhoMayStayIT extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    WhoMayStayIT() {
        super(REDIS);
    }

    @Test
    void theLastLeaveIsAnnouncedAtOnceAndLeavesNoKey() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        await().until(() -> watcher.joined().contains("adi"));
        adi.leave("r");
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("adi left"));
        assertThat(REDIS.cli().exists("room:presence:r:adi", "room:r:user:adi")).isZero();
        assertThat(adi.forceLeave()).isNull();
    }

    @Test
    void leavingEverywhereSendsAForceLeaveToTheOtherSockets() {
        TestNode.Client phone = a.open("adi");
        TestNode.Client laptop = b.open("adi");
        phone.join("r");
        laptop.join("r");
        phone.leaveEverywhere("r");
        assertThat(a.list("r")).isEmpty();
        await().untilAsserted(() ->
                assertThat(laptop.messages).containsExactly(new SocketMessage.LeftElsewhere(new RoomId("r"))));
        assertThat(phone.messages).isEmpty();
        assertThat(refused(phone.heartbeat("r")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
        assertThat(phone.messages).isEmpty();
    }

    @Test
    void aKickedUserIsDisconnectedOnEverySocketWithTheMessage() {
        TestNode.Client phone = a.open("adi");
        TestNode.Client laptop = b.open("adi");
        phone.join("r");
        laptop.join("r");
        laptop.join("other");
        ok(get(a.presence.kick(new RoomId("r"), phone.user, "be nice")));
        await().until(() -> phone.forceLeave() != null && laptop.forceLeave() != null);
        assertThat(Objects.requireNonNull(phone.forceLeave()).message()).isEqualTo("be nice");
        assertThat(Objects.requireNonNull(laptop.forceLeave()).reason()).isEqualTo(RemovalReason.KICKED);
        await().until(() -> phone.disconnected);
        assertThat(laptop.disconnected).isFalse();
        assertThat(refused(get(a.presence.kick(new RoomId("r"), phone.user, null)))
                        .code())
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void aHeartbeatForALostPresenceTellsTheClientAndTheRoom() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        await().until(() -> watcher.joined().contains("adi"));
        assertThat(ok(adi.heartbeat("r")).expiresAt())
                .isAfter(ok(adi.heartbeat("r")).serverTime());
        REDIS.cli().del("room:presence:r:adi");
        assertThat(refused(adi.heartbeat("r")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
        SocketMessage.ForceLeave told = Objects.requireNonNull(adi.forceLeave());
        assertThat(told.reason()).isEqualTo(RemovalReason.PRESENCE_LOST);
        assertThat(told.message()).isNull();
        await().until(() -> adi.disconnected);
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("adi presence_lost"));
    }

    @Test
    void withoutHeartbeatsForTheRoomsTtlTheUserExpires() {
        REDIS.cli().hset("hadir:room:r:settings", "ttlSeconds", "2");
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        await().until(() -> {
            watcher.heartbeat("r");
            return REDIS.cli().exists("room:presence:r:adi") == 0;
        });
        get(a.sweeper.sweep());
        await().until(() -> adi.disconnected);
        SocketMessage.ForceLeave told = Objects.requireNonNull(adi.forceLeave());
        assertThat(told.reason()).isEqualTo(RemovalReason.INACTIVITY_TIMEOUT);
        assertThat(told.message()).isNull();
        assertThat(told.ttl()).hasSeconds(2);
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("adi inactivity_timeout"));
    }

    @Test
    void f26_afterAFlushEveryClientHearsOfItAndCanJoinAtOnce() {
        TestNode.Client adi = a.open("adi");
        TestNode.Client budi = b.open("budi");
        long before = adi.join("r").listing().page().revision();
        budi.join("r");
        REDIS.cli().flushall();
        get(a.sweeper.sweep());
        assertThat(Objects.requireNonNull(adi.forceLeave()).reason()).isEqualTo(RemovalReason.PRESENCE_LOST);
        refused(budi.heartbeat("r"));
        assertThat(budi.forceLeave()).isNotNull();
        JoinedRoom again = b.open("budi").join("r");
        assertThat(again.listing().viewerCount()).isEqualTo(1);
        assertThat(again.listing().page().revision()).isGreaterThan(before);
        get(a.sweeper.sweep());
        assertThat(b.list("r")).containsExactly("budi");
    }

    @Test
    void aForeignPresenceCountsAfterASweepIfItsSocketIsThereAndGoesIfNot() {
        TestNode.Client adi = b.open("adi");
        REDIS.cli().set("room:presence:r:adi", adi.socket.value(), SetArgs.Builder.ex(100));
        REDIS.cli().set("room:presence:r:ghost", b.id + ".nobody", SetArgs.Builder.ex(100));
        REDIS.cli().set("room:presence:r:junk", "whatever", SetArgs.Builder.ex(100));
        a.sweepWhenItMayJudge();
        await().untilAsserted(() -> assertThat(a.list("r")).containsExactly("adi"));
        await().until(() -> REDIS.cli().exists("room:presence:r:ghost", "room:presence:r:junk") == 0);
        get(adi.close());
        await().untilAsserted(() -> assertThat(a.list("r")).isEmpty());
    }

    @Test
    void f41_concurrentSweepsOfTwoNodesAnnounceEachRemovalOnce() {
        TestNode.Client watcher = a.open("watcher");
        watcher.join("r");
        for (int i = 0; i < 30; i++) {
            b.open("u" + i).join("r");
        }
        await().until(() -> watcher.joined().contains("u29"));
        for (int i = 0; i < 30; i++) {
            REDIS.cli().del("room:presence:r:u" + i);
        }
        var first = a.sweeper.sweep();
        var second = b.sweeper.sweep();
        get(first);
        get(second);
        await().untilAsserted(() -> assertThat(watcher.left()).hasSize(30).doesNotHaveDuplicates());
        assertThat(a.list("r")).containsExactly("watcher");
    }

    @Test
    void aPageReloadRestoresTheRoomsOfAnAuthenticatedUser() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client before = a.openAuthenticated("adi");
        before.join("r");
        await().until(() -> watcher.joined().contains("adi"));
        watcher.news.clear();
        get(before.close());
        TestNode.Client after = b.openAuthenticated("adi");
        await().until(() -> !after.messages.isEmpty());
        assertThat(after.messages.get(0)).isInstanceOf(SocketMessage.Restored.class);
        ok(after.heartbeat("r"));
        assertThat(REDIS.cli().ttl("room:presence:r:adi")).isGreaterThan(50);
        await().pollDelay(TestNode.QUICK.heartbeat().multipliedBy(4))
                .until(() -> b.list("r").contains("adi"));
        assertThat(watcher.news).isEmpty();
    }

    @Test
    void nobodyIsRestoredOnTheirWordAlone() {
        TestNode.Client before = a.open("adi");
        before.join("r");
        get(before.close());
        TestNode.Client after = a.open("adi");
        await().untilAsserted(() -> assertThat(a.list("r")).isEmpty());
        assertThat(after.messages).isEmpty();
    }

    @Test
    void aFullRoomAcceptsAUserOnceAListedOneHasExpired() {
        REDIS.cli().hset("hadir:room:r:settings", "maxParticipants", "2");
        a.open("one").join("r");
        a.open("two").join("r");
        TestNode.Client three = b.open("three");
        assertThat(refused(get(three.tryJoin("r"))).code()).isEqualTo(ErrorCode.ROOM_FULL);
        REDIS.cli().del("room:presence:r:one");
        three.join("r");
        assertThat(a.list("r")).containsExactly("two", "three");
    }

    @Test
    void f45_joinAndLeaveSentAtOnceEndAsLastSent() {
        TestNode.Client adi = a.open("adi");
        for (int i = 0; i < 50; i++) {
            adi.tryJoin("r");
            a.presence.leave(adi.socket, new RoomId("r"), adi.user, false);
        }
        adi.leave("r");
        assertThat(a.list("r")).isEmpty();
        for (int i = 0; i < 50; i++) {
            a.presence.leave(adi.socket, new RoomId("r"), adi.user, false);
            adi.tryJoin("r");
        }
        adi.join("r");
        assertThat(a.list("r")).containsExactly("adi");
    }

    @Test
    void aRoomsOwnTtlIsInForceAtTheNextHeartbeat() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        REDIS.cli().hset("hadir:room:r:settings", "ttlSeconds", "30");
        REDIS.cli().spublish("hadir:room:r:changes", "{\"settings\":true}");
        await().until(() -> {
            adi.heartbeat("r");
            return REDIS.cli().ttl("room:presence:r:adi") <= 30;
        });
    }
}
