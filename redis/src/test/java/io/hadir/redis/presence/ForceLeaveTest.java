package io.hadir.redis.presence;

import static io.hadir.redis.store.TestNode.get;
import static io.hadir.redis.store.TestNode.ok;
import static io.hadir.redis.store.TestNode.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.redis.store.OnTwoNodes;
import io.hadir.redis.store.TestNode;
import io.hadir.testing.TestRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which clients get a force-leave, and how often. */
class ForceLeaveTest extends OnTwoNodes {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    ForceLeaveTest() {
        super(REDIS);
    }

    @Test
    void aClientThatNeverJoinedIsToldOncePerRoomAndStaysConnected() {
        TestNode.Client adi = a.open("adi");
        for (int i = 0; i < 3; i++) {
            stray(adi, "r");
            stray(adi, "s");
        }
        assertThat(told(adi)).containsExactly("r presence_lost", "s presence_lost");
        assertThat(adi.disconnected).isFalse();
        assertThat(REDIS.cli().keys("room:*")).isEmpty();
    }

    @Test
    void aUserWhoRejoinedHearsAgainOfALostPresence() {
        TestNode.Client adi = a.open("adi");
        adi.join("other");
        stray(adi, "r");
        adi.join("r");
        REDIS.cli().del("room:presence:r:adi");
        stray(adi, "r");
        stray(adi, "r");
        assertThat(told(adi)).containsExactly("r presence_lost", "r presence_lost");
    }

    @Test
    void aClientThatLeftGetsNoForceLeaveForLateHeartbeats() {
        TestNode.Client adi = a.open("adi");
        adi.join("r");
        adi.leave("r");
        stray(adi, "r");
        adi.leave("never-joined");
        stray(adi, "never-joined");
        assertThat(adi.messages).isEmpty();
    }

    @Test
    void aStrayHeartbeatIsIgnoredWhileTheUserHasAnotherSocketInTheRoom() {
        TestNode.Client tab = b.open("adi");
        tab.join("r");
        TestNode.Client adi = a.open("adi");
        stray(adi, "r");
        stray(adi, "r");
        assertThat(adi.messages).isEmpty();
        assertThat(b.list("r")).containsExactly("adi");

        tab.leave("r");
        stray(adi, "r");
        assertThat(told(adi)).containsExactly("r presence_lost");
    }

    @Test
    void aGracePeriodOfAnotherSocketDoesNotCountAsASocket() {
        TestNode.Client before = a.open("adi");
        before.join("r");
        get(before.close());
        TestNode.Client adi = a.open("adi");
        stray(adi, "r");
        assertThat(told(adi)).containsExactly("r presence_lost");
    }

    @Test
    void afterAForceLeaveHeartbeatsSendNoSecondOne() {
        TestNode.Client adi = a.open("adi");
        TestNode.Client tab = b.open("adi");
        List.of("stay", "kicked", "left").forEach(adi::join);
        tab.join("left");
        ok(get(b.presence.kick(new RoomId("kicked"), adi.user, null)));
        tab.leaveEverywhere("left");
        await().until(() -> adi.messages.size() == 2);
        stray(adi, "kicked");
        stray(adi, "left");
        assertThat(told(adi)).containsExactly("kicked kicked");
        assertThat(adi.messages).hasSize(2);
    }

    @Test
    void aRestoredPresenceWithoutHeartbeatsExpiresAndOnlyItsLateHeartbeatIsTold() {
        TestNode.Client watcher = b.open("watcher");
        watcher.join("r");
        TestNode.Client adi = restored("r");
        await().untilAsserted(() -> assertThat(watcher.left()).containsExactly("adi disconnected"));
        await().until(() -> b.list("r").equals(List.of("watcher")));
        stray(adi, "r");
        stray(adi, "r");
        assertThat(told(adi)).as("by its own heartbeats, only").containsExactly("r presence_lost");
        assertThat(adi.disconnected).isFalse();
    }

    @Test
    void theClientOfALostRestoredPresenceHearsOnlyOfAKick() {
        TestNode.Client lost = restored("r");
        REDIS.cli().flushall();
        get(a.sweeper.sweep());
        assertThat(told(lost)).isEmpty();
        get(lost.close());

        TestNode.Client kicked = restored("r");
        ok(get(b.presence.kick(new RoomId("r"), kicked.user, null)));
        await().untilAsserted(() -> assertThat(told(kicked)).containsExactly("r kicked"));
    }

    @Test
    void aHeartbeatThatComesTooLateForARestoredPresenceIsAnswered() {
        TestNode.Client adi = restored("r");
        REDIS.cli().del("room:presence:r:adi");
        stray(adi, "r");
        assertThat(told(adi)).containsExactly("r presence_lost");
    }

    /** A socket that was put back into a room after a refresh, and has said nothing since. */
    private TestNode.Client restored(String room) {
        TestNode.Client before = a.openAuthenticated("adi");
        before.join(room);
        get(before.close());
        TestNode.Client after = a.openAuthenticated("adi");
        await().until(() -> after.messages.stream().anyMatch(SocketMessage.Restored.class::isInstance));
        return after;
    }

    private static void stray(TestNode.Client client, String room) {
        assertThat(refused(client.heartbeat(room)).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
    }

    private static List<String> told(TestNode.Client client) {
        return client.messages.stream()
                .filter(SocketMessage.ForceLeave.class::isInstance)
                .map(SocketMessage.ForceLeave.class::cast)
                .map(told -> told.room() + " " + told.reason().wire())
                .toList();
    }
}
