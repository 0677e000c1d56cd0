package io.hadir.presence.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketMessage;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Users whose app went to the background, and what an app shows about its users. */
class AwayTest extends TwoNodes {
    private static final RoomId ROOM = new RoomId("r");
    /** The TTL in these tests, which is shorter than the time of users who are away. */
    private static final Duration TTL = Duration.ofMinutes(1);

    private final Client phone = a.open("adi");
    private final Client other = b.open("budi");

    private void bothJoin() {
        other.join("r");
        phone.join("r");
        settle();
    }

    @Test
    void aPausedPhoneThatFallsSilentStaysAwayAndTheOthersHearOneMessageForEachChange() {
        bothJoin();
        assertThat(phone.pause()).containsOnlyKeys(ROOM);
        phone.fallSilent();
        loop.advance(TTL.minusSeconds(5));
        other.heartbeat("r");
        assertThat(b.list("r")).containsExactlyInAnyOrder("budi", "adi");
        assertThat(other.updated()).containsExactly("adi adi away");
        Client back = b.open("adi");
        back.join("r");
        settle();
        assertThat(other.updated()).containsExactly("adi adi away", "adi adi");
        assertThat(other.left()).isEmpty();
        assertThat(other.joined()).containsExactly("adi");
    }

    @Test
    void aPhoneThatIsNotAdmittedIsNotBack() {
        bothJoin();
        phone.pause();
        phone.fallSilent();
        loop.advance(SETTINGS.grace().multipliedBy(2));
        notAdmitted = PresenceError.of(ErrorCode.LIMIT_EXCEEDED, "too many sockets");
        assertThat(refused(a.open("adi").heartbeat("r")).code()).isEqualTo(ErrorCode.LIMIT_EXCEEDED);
        settle();
        assertThat(other.updated()).containsExactly("adi adi away");
    }

    @Test
    void aPhoneThatWakesUpAndOnlySendsAHeartbeatIsBack() {
        bothJoin();
        phone.pause();
        phone.fallSilent();
        loop.advance(SETTINGS.grace().multipliedBy(2));
        Client awake = b.open("adi");
        ok(awake.heartbeat("r"));
        ok(awake.heartbeat("r"));
        settle();
        assertThat(awake.forceLeaves()).isEmpty();
        assertThat(other.updated()).containsExactly("adi adi away", "adi adi");
        awake.close();
        loop.advance(SETTINGS.grace().plusSeconds(1));
        assertThat(other.left()).containsExactly("adi disconnected");
        assertThat(other.joined()).containsExactly("adi");
    }

    @Test
    void aPausedPhoneThatNeverReturnsLeavesOnce() {
        bothJoin();
        phone.pause();
        phone.fallSilent();
        for (int i = 0; i < 3; i++) {
            loop.advance(TTL.dividedBy(2));
            other.heartbeat("r");
        }
        assertThat(other.left()).containsExactly("adi disconnected");
        assertThat(other.updated()).containsExactly("adi adi away");
    }

    @Test
    void aPausedPhoneThatClosesLeavesAfterTheGracePeriod() {
        bothJoin();
        phone.pause();
        phone.close();
        loop.advance(SETTINGS.grace().plusSeconds(1));
        assertThat(other.left()).containsExactly("adi disconnected");
        assertThat(other.updated()).containsExactly("adi adi away");
    }

    @Test
    void aSocketThatIsNotPausedAndFallsSilentGetsTheGracePeriod() {
        bothJoin();
        phone.pause();
        settle();
        assertThat(phone.resume()).containsOnlyKeys(ROOM);
        phone.fallSilent();
        loop.advance(SETTINGS.grace().plusSeconds(1));
        assertThat(other.left()).containsExactly("adi disconnected");
        assertThat(other.updated()).containsExactly("adi adi away", "adi adi");
    }

    @Test
    void aHeartbeatMakesAPausedUserActive() {
        bothJoin();
        phone.pause();
        settle();
        ok(phone.heartbeat("r"));
        ok(phone.heartbeat("r"));
        settle();
        assertThat(other.updated()).containsExactly("adi adi away", "adi adi");
    }

    @Test
    void aUserWithAnotherSocketInFrontIsNotAway() {
        bothJoin();
        Client laptop = b.open("adi");
        laptop.join("r");
        phone.pause();
        phone.fallSilent();
        settle();
        assertThat(other.updated()).isEmpty();
        laptop.close();
        loop.advance(SETTINGS.grace().plusSeconds(1));
        assertThat(other.left()).containsExactly("adi disconnected");
    }

    @Test
    void aPauseOfARoomThatTheSocketIsNotInIsRefused() {
        assertThat(refused(get(a.presence.pause(phone.socket, phone.user, ROOM)))
                        .code())
                .isEqualTo(ErrorCode.NOT_IN_ROOM);
        assertThat(phone.pause()).isEmpty();
        assertThat(phone.resume()).isEmpty();
    }

    @Test
    void aPhoneThatResumesAfterItsPresenceIsGoneIsTold() {
        bothJoin();
        phone.pause();
        memory.losePresence(seat("r", "adi"));
        assertThat(phone.resume()).isEmpty();
        assertThat(phone.forceLeaves()).containsExactly("r presence_lost");
        settle();
        assertThat(other.left()).containsExactly("adi presence_lost");
    }

    @Test
    void aCheckRepairsStateAndDataThatTheStoreLost() {
        bothJoin();
        ok(phone.update("r", "{\"role\":\"host\"}"));
        settle();
        phone.pause();
        settle();
        memory.loseDetails(seat("r", "adi"));
        a.check();
        settle();
        assertThat(other.updated())
                .containsExactly(
                        "adi adi {\"role\":\"host\"}",
                        "adi adi away {\"role\":\"host\"}",
                        "adi adi away {\"role\":\"host\"}");
    }

    @Test
    void anUpdateReachesEverybodyAndOnlyWhoIsInTheRoomMayUpdate() {
        bothJoin();
        assertThat(refused(b.open("eve").update("r", "{}")).code()).isEqualTo(ErrorCode.NOT_IN_ROOM);
        ok(phone.update("r", "{\"mic\":true}"));
        ok(phone.update("r", "{\"mic\":true}"));
        ok(phone.update("r", "null"));
        settle();
        assertThat(other.updated()).last().isEqualTo("adi adi");
        long gap = other.news.stream()
                .filter(told -> other.news.indexOf(told) > 0)
                .filter(told -> told.fromRevision()
                        != other.news.get(other.news.indexOf(told) - 1).revision())
                .count();
        assertThat(gap).isZero();
    }

    @Test
    void aSilentSocketIsToldOnceThatItsPresenceIsAboutToExpire() {
        phone.join("r");
        loop.advance(TTL.multipliedBy(11).dividedBy(12).minusSeconds(1));
        assertThat(expiring(phone)).isZero();
        loop.advance(Duration.ofSeconds(4));
        assertThat(expiring(phone)).isEqualTo(1);
        SocketMessage.Expiring told = (SocketMessage.Expiring) phone.messages.get(0);
        assertThat(Duration.between(loop.instant(), told.at())).isBetween(Duration.ZERO, TTL.dividedBy(12));
        ok(phone.heartbeat("r"));
        loop.advance(TTL.minusSeconds(1));
        assertThat(expiring(phone)).isEqualTo(2);
    }

    @Test
    void aSilentSocketIsToldNothingWhileAnotherKeepsTheUserThere() {
        phone.join("r");
        Client laptop = b.open("adi");
        laptop.join("r");
        for (int i = 0; i < 8; i++) {
            loop.advance(TTL.dividedBy(4));
            ok(laptop.heartbeat("r"));
        }
        assertThat(expiring(phone)).isZero();
        loop.advance(TTL.minusSeconds(1));
        assertThat(expiring(phone)).isEqualTo(1);
        assertThat(expiring(laptop)).isEqualTo(1);
    }

    private static long expiring(Client client) {
        return client.messages.stream()
                .filter(SocketMessage.Expiring.class::isInstance)
                .count();
    }

    @Test
    void aPausedUserIsStillThereForEveryNode() {
        bothJoin();
        phone.pause();
        phone.fallSilent();
        assertThat(get(memory.stores().seats().cleanUp(ROOM, "a", null)).removed())
                .isZero();
        assertThat(Set.copyOf(a.list("r"))).containsExactlyInAnyOrder("adi", "budi");
    }
}
