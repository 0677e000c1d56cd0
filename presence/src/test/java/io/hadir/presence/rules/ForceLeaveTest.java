package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Which clients get a force-leave, and how often. */
class ForceLeaveTest extends TwoNodes {

    @Test
    void aJoinDuringWhichTheUserIsKickedIsRefused() {
        Client adi = a.open("adi");
        adi.join("other");
        CompletableFuture<Void> late = new CompletableFuture<>();
        focusing = late;
        CompletionStage<Answer<JoinedRoom>> join = adi.beginJoin("r");
        settle();
        ok(get(b.presence.kick(new RoomId("r"), adi.user, null)));
        settle();
        assertThat(adi.forceLeaves()).containsExactly("r kicked");
        late.complete(null);

        assertThat(refused(get(join)).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
    }

    @Test
    void aClientThatNeverJoinedIsToldOncePerRoomAndStaysConnected() {
        Client adi = a.open("adi");
        for (int i = 0; i < 3; i++) {
            stray(adi, "r");
            stray(adi, "s");
        }
        assertThat(adi.forceLeaves()).containsExactly("r presence_lost", "s presence_lost");
        assertThat(adi.disconnected).isFalse();
        assertThat(a.list("r")).isEmpty();
    }

    @Test
    void aUserWhoRejoinedHearsAgainOfALostPresence() {
        Client adi = a.open("adi");
        adi.join("other");
        stray(adi, "r");
        adi.join("r");
        memory.losePresence(seat("r", "adi"));
        stray(adi, "r");
        stray(adi, "r");
        assertThat(adi.forceLeaves()).containsExactly("r presence_lost", "r presence_lost");
    }

    @Test
    void g7_strayHeartbeatsThatOverlapAreToldOnce() {
        Client adi = a.open("adi");
        var first = a.presence.heartbeat(adi.socket, new RoomId("r"), adi.user);
        var second = a.presence.heartbeat(adi.socket, new RoomId("r"), adi.user);
        assertThat(refused(get(first)).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
        assertThat(refused(get(second)).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
        assertThat(adi.forceLeaves()).containsExactly("r presence_lost");
    }

    @Test
    void aClientThatLeftGetsNoForceLeaveForLateHeartbeats() {
        Client adi = a.open("adi");
        adi.join("r");
        adi.leave("r");
        stray(adi, "r");
        adi.leave("never-joined");
        stray(adi, "never-joined");
        assertThat(adi.messages).isEmpty();
    }

    @Test
    void aStrayHeartbeatIsIgnoredWhileTheUserHasAnotherSocketInTheRoom() {
        Client tab = b.open("adi");
        tab.join("r");
        Client adi = a.open("adi");
        stray(adi, "r");
        stray(adi, "r");
        assertThat(adi.messages).isEmpty();
        assertThat(b.list("r")).containsExactly("adi");

        tab.leave("r");
        stray(adi, "r");
        assertThat(adi.forceLeaves()).containsExactly("r presence_lost");
    }

    @Test
    void aGracePeriodOfAnotherSocketDoesNotCountAsASocket() {
        Client before = a.open("adi");
        before.join("r");
        before.close();
        Client adi = a.open("adi");
        stray(adi, "r");
        assertThat(adi.forceLeaves()).containsExactly("r presence_lost");
    }

    @Test
    void afterAForceLeaveHeartbeatsSendNoSecondOne() {
        Client adi = a.open("adi");
        Client tab = b.open("adi");
        List.of("stay", "kicked", "left").forEach(adi::join);
        tab.join("left");
        ok(get(b.presence.kick(new RoomId("kicked"), adi.user, null)));
        tab.leaveEverywhere("left");
        settle();
        assertThat(adi.messages).hasSize(2);
        stray(adi, "kicked");
        stray(adi, "left");
        assertThat(adi.forceLeaves()).containsExactly("kicked kicked");
        assertThat(adi.messages).hasSize(2);
    }

    @Test
    void aRestoredPresenceWithoutHeartbeatsExpiresAndOnlyItsLateHeartbeatIsTold() {
        Client watcher = b.open("watcher");
        watcher.join("r");
        Client adi = restored("r");
        loop.advance(SETTINGS.provisionalWithin(SETTINGS.ttl()));
        settle();
        assertThat(watcher.left()).containsExactly("adi disconnected");
        assertThat(b.list("r")).containsExactly("watcher");
        stray(adi, "r");
        stray(adi, "r");
        assertThat(adi.forceLeaves()).as("by its own heartbeats, only").containsExactly("r presence_lost");
        assertThat(adi.disconnected).isFalse();
    }

    @Test
    void theClientOfALostRestoredPresenceHearsOnlyOfAKick() {
        Client lost = restored("r");
        memory.loseEverything();
        a.check();
        assertThat(lost.forceLeaves()).isEmpty();
        lost.close();

        Client kicked = restored("r");
        ok(get(b.presence.kick(new RoomId("r"), kicked.user, null)));
        settle();
        assertThat(kicked.forceLeaves()).containsExactly("r kicked");
    }

    @Test
    void aHeartbeatThatComesTooLateForARestoredPresenceIsAnswered() {
        Client adi = restored("r");
        memory.losePresence(seat("r", "adi"));
        stray(adi, "r");
        assertThat(adi.forceLeaves()).containsExactly("r presence_lost");
    }

    /** A socket that was put back into a room after a refresh, and has said nothing since. */
    private Client restored(String room) {
        Client before = a.openAuthenticated("adi");
        before.join(room);
        before.close();
        Client after = a.openAuthenticated("adi");
        assertThat(after.messages).hasAtLeastOneElementOfType(SocketMessage.Restored.class);
        return after;
    }

    private static void stray(Client client, String room) {
        assertThat(refused(client.heartbeat(room)).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
    }
}
