package io.hadir.presence.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.RoomStore.Claim;
import io.hadir.presence.RoomStore.Claims;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.SocketId;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What every implementation of the stores and of the feed must do. */
public abstract class StoresContract extends RoomsContract {
    static final Duration AWAY = Duration.ofMinutes(30);

    // Data

    @Test
    void dataIsInListsAndChangesAndDiesWithThePresence() {
        String data = "{\"role\":\"host\",\"mic\":false}";
        assertThat(joinWith(data, "n.a", 1).data()).isEqualTo(data);
        assertThat(listed().data()).isEqualTo(data);
        leave("n.a", 2);
        assertThat(join("n.a", 3).data()).isNull();
        assertThat(listed().data()).isNull();
        assertThat(heard()).containsExactly("joined adi " + data, "left adi left", "joined adi");
    }

    @Test
    void dataThatARejoinDoesNotMentionStaysAndNullRemovesIt() {
        joinWith("{\"a\":1}", "n.a", 1);
        assertThat(join("n.b", 1).data()).isEqualTo("{\"a\":1}");
        disconnect("n.a", 2);
        disconnect("n.b", 2);
        assertThat(join("n.c", 1).data()).isEqualTo("{\"a\":1}");
        assertThat(joinWith("null", "n.c", 2).data()).isNull();
        assertThat(listed().data()).isNull();
        assertThat(heard()).containsExactly("joined adi {\"a\":1}", "lapsing 15", "updated adi");
    }

    @Test
    void dataStaysExactlyAsItIsThroughEveryStep() {
        String data = "{\"list\":[],\"map\":{},\"large\":9007199254740993,\"pi\":3.141592653589793,\"none\":null,"
                + "\"text\":\",\\\"data\\\":{ } é𝄞\",\"data\":{\"turn\":7,\"away\":true}}";
        joinWith(data, "n.a", 1);
        assertThat(listed().data()).isEqualTo(data);
        pause("n.a");
        resume("n.a");
        join("n.b", 1);
        leave("n.a", 2);
        disconnect("n.b", 2);
        assertThat(listed().data()).isEqualTo(data);
        assertThat(join("n.c", 1).data()).isEqualTo(data);
        assertThat(heard())
                .containsExactly("joined adi " + data, "updated adi away " + data, "updated adi " + data, "lapsing 15");
    }

    @Test
    void anUpdateChangesNameOrDataAndNothingElse() {
        join("n.a", 1);
        assertThat(update("Adi!", null)).isTrue();
        assertThat(update(null, "{\"a\":1}")).isTrue();
        assertThat(update("Adi!", "{\"a\":1}")).isTrue();
        assertThat(listed().username()).isEqualTo("Adi!");
        assertThat(update(null, "null")).isTrue();
        assertThat(named()).isEqualTo("n.a");
        assertLeft(TTL);
        assertThat(heard()).containsExactly("joined adi", "updated Adi!", "updated Adi! {\"a\":1}", "updated Adi!");
    }

    @Test
    void anUpdateOfAUserWhoIsNotThereChangesNothing() {
        assertThat(update("Adi!", "{\"a\":1}")).isFalse();
        join("n.a", 1);
        losePresence(SEAT);
        assertThat(update("Adi!", null)).isFalse();
        assertThat(users()).isEmpty();
    }

    @Test
    void aCheckRestoresLostData() {
        joinWith("{\"a\":1}", "n.a", 1);
        loseDetails(SEAT);
        get(stores().rooms().check(ROOM, List.of(new Claim(ADI, holder("n.a", 1), "adi", "{\"a\":1}", false))));
        assertThat(listed().data()).isEqualTo("{\"a\":1}");
        assertThat(heard()).containsExactly("joined adi {\"a\":1}", "updated adi {\"a\":1}");
    }

    // Pause and away

    @Test
    void aPausedUserIsAwayUntilTheyResume() {
        join("n.a", 1);
        advance(Duration.ofMinutes(10));
        assertThat(pause("n.a")).contains(AWAY);
        assertThat(isAway()).isTrue();
        assertThat(pause("n.a")).contains(AWAY);
        advance(Duration.ofMinutes(10));
        assertIdle(Duration.ofMinutes(20));
        assertThat(resume("n.a")).isTrue();
        assertThat(isAway()).isFalse();
        assertLeft(TTL);
        assertIdle(Duration.ZERO);
        assertThat(heard()).containsExactly("joined adi", "updated adi away", "updated adi");
    }

    @Test
    void withSeveralSocketsAUserIsAwayOnlyIfAllArePaused() {
        join("n.a", 1);
        join("m.b", 1);
        pause("n.a");
        assertThat(isAway()).isFalse();
        pause("m.b");
        assertThat(isAway()).isTrue();
        resume("n.a");
        assertThat(isAway()).isFalse();
        leave("n.a", 2);
        assertThat(isAway()).isTrue();
        join("n.c", 1);
        assertThat(isAway()).isFalse();
        assertThat(heard())
                .containsExactly("joined adi", "updated adi away", "updated adi", "updated adi away", "updated adi");
    }

    @Test
    void aJoinMakesAPausedSocketActive() {
        join("n.a", 1);
        pause("n.a");
        join("n.a", 2);
        assertThat(isAway()).isFalse();
        assertThat(heard()).containsExactly("joined adi", "updated adi away", "updated adi");
    }

    @Test
    void aPausedSocketThatFallsSilentLeavesItsUserAwayForTheirTime() {
        join("n.a", 1);
        pause("n.a");
        suspend("n.a", 2);
        assertLeft(AWAY);
        assertThat(isAway()).isTrue();
        advance(AWAY.minusSeconds(10));
        assertThat(users()).containsExactly("adi");
        assertIdle(AWAY.minusSeconds(10));
        advance(Duration.ofSeconds(11));
        get(stores().rooms().expireLapses(ROOM));
        assertThat(users()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "updated adi away", "lapsing 1800", "left adi disconnected");
    }

    @Test
    void aUserIsNeverAwayLongerThanTheirPresenceLives() {
        join("n.a", 1);
        advance(TTL.minusMinutes(10));
        pause("n.a");
        suspend("n.a", 2);
        assertLeft(Duration.ofMinutes(10));
    }

    @Test
    void aRoomMayHaveItsOwnTimeForUsersWhoAreAway() {
        get(stores().settings().write(ROOM, new RoomSettings(null, Duration.ofMinutes(2), null, null)));
        join("n.a", 1);
        assertThat(pause("n.a")).contains(Duration.ofMinutes(2));
        suspend("n.a", 2);
        assertLeft(Duration.ofMinutes(2));
    }

    @Test
    void aPausedSocketThatClosesGetsTheUsualGracePeriod() {
        join("n.a", 1);
        pause("n.a");
        disconnect("n.a", 2);
        assertLeft(GRACE);
        assertThat(isAway()).isTrue();
        advance(GRACE.plusSeconds(1));
        get(stores().rooms().expireLapses(ROOM));
        assertThat(heard()).containsExactly("joined adi", "updated adi away", "lapsing 15", "left adi disconnected");
    }

    @Test
    void aJoinEndsTheTimeOfAUserWhoIsHeldAsAway() {
        join("n.a", 1);
        pause("n.a");
        suspend("n.a", 2);
        assertThat(restore("n.b", 1)).isFalse();
        join("n.b", 2);
        assertThat(isAway()).isFalse();
        assertLeft(TTL);
        disconnect("n.b", 3);
        assertLeft(GRACE);
        assertThat(heard())
                .containsExactly("joined adi", "updated adi away", "lapsing 1800", "updated adi", "lapsing 15");
    }

    @Test
    void g4_aUserWhoIsBackFromBeingAwayIsRemovedWithTheirDeadNode() {
        join("n.a", 1);
        pause("n.a");
        suspend("n.a", 2);
        join("n.b", 1);
        assertThat(cleanUp("n", null).removed()).isEqualTo(1);
        assertThat(heard()).endsWith("left adi server_gone");
    }

    @Test
    void undoingAJoinOfAUserWhoWasHeldAsAwayHoldsThemAgain() {
        join("n.a", 1);
        pause("n.a");
        suspend("n.a", 2);
        join("n.b", 1);
        undo("n.b", 1);
        assertThat(isAway()).isTrue();
        assertLeft(AWAY);
        assertThat(heard())
                .containsExactly(
                        "joined adi",
                        "updated adi away",
                        "lapsing 1800",
                        "updated adi",
                        "lapsing 1800",
                        "updated adi away");
    }

    @Test
    void aPauseThatNeverArrivedIsMadeUpForWhenTheSocketFallsSilent() {
        join("n.a", 1);
        suspend("n.a", 2);
        assertThat(isAway()).isTrue();
        assertLeft(AWAY);
        assertThat(heard()).containsExactly("joined adi", "lapsing 1800", "updated adi away");
    }

    @Test
    void aPausedSocketThatFallsSilentHandsTheSeatOverToAnother() {
        join("n.a", 1);
        join("m.b", 1);
        pause("n.a");
        suspend("n.a", 2);
        assertThat(named()).isEqualTo("m.b");
        assertThat(isAway()).isFalse();
        disconnect("m.b", 2);
        assertLeft(GRACE);
    }

    @Test
    void theDeathOfItsNodeLeavesAPausedUserAway() {
        join("n.a", 1);
        pause("n.a");
        join(seat("budi"), "n.b", 1);
        assertThat(cleanUp("n", null).removed()).isEqualTo(1);
        assertThat(isAway()).isTrue();
        assertLeft(AWAY);
        assertThat(heard())
                .containsExactlyInAnyOrder(
                        "joined adi", "updated adi away", "joined budi", "lapsing 1800", "left budi server_gone");
        cleanUp("n", now().plus(GRACE));
        assertThat(sweep("n.a")).isFalse();
        assertLeft(AWAY);
        assertThat(heard()).isEmpty();
    }

    @Test
    void theDeathOfTheNodeOfAllSocketsLeavesAUserAwayIfOneWasPaused() {
        join("n.a", 1);
        join("n.b", 1);
        pause("n.a");
        assertThat(cleanUp("n", null).removed()).isZero();
        assertThat(isAway()).isTrue();
        assertLeft(AWAY);
        assertThat(heard()).containsExactly("joined adi", "lapsing 1800", "updated adi away");
    }

    @Test
    void aPausedSocketThatLeftIsSweptAway() {
        join("n.a", 1);
        pause("n.a");
        assertThat(get(stores().seats().sweep(SEAT, RemovalReason.LEFT, Set.of(new SocketId("n.a")))))
                .isTrue();
    }

    @Test
    void aCheckMakesTheStateThatOfTheNode() {
        join("n.a", 1);
        Claim paused = new Claim(ADI, holder("n.a", 1), "adi", null, true);
        Claim active = claim("adi", "n.a", 1);
        assertThat(right(active)).isTrue();
        assertThat(right(paused)).isFalse();
        get(stores().rooms().check(ROOM, List.of(paused)));
        assertThat(isAway()).isTrue();
        assertThat(right(paused)).isTrue();
        assertThat(right(active)).isFalse();
        get(stores().rooms().check(ROOM, List.of(active)));
        assertThat(isAway()).isFalse();
        assertThat(heard()).containsExactly("joined adi", "updated adi away", "updated adi");
    }

    boolean right(Claim claim) {
        return get(stores().rooms()
                        .compare(List.of(new Claims(ROOM, List.of(claim))))
                        .get(0))
                .right();
    }

    @Test
    void nobodyCanPauseOrResumeWhoIsNotThere() {
        assertThat(pause("n.a")).isEmpty();
        assertThat(resume("n.a")).isFalse();
        join("n.a", 1);
        pause("n.a");
        losePresence(SEAT);
        assertThat(pause("n.a")).isEmpty();
        assertThat(resume("n.a")).isFalse();
    }

    @Test
    void aRosterKnowsStateAndData() {
        joinWith("{\"a\":1}", "n.a", 1);
        pause("n.a");
        advance(Duration.ofMinutes(1));
        Roster known =
                get(stores().rooms().listFirst(ROOM, 100, Roster.UNKNOWN)).everybody();
        Participant listed = get(stores().rooms().listFirst(ROOM, 100, known))
                .page()
                .participants()
                .get(0);
        assertThat(listed).isEqualTo(listed());
        assertThat(listed.state()).isEqualTo(Participant.State.AWAY);
        assertThat(listed.data()).isEqualTo("{\"a\":1}");
    }
}
