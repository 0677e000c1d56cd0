package io.hadir.presence.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Username;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How users take, keep and leave their seats. */
abstract class SeatsContract extends StoreSteps {
    static final Duration SECOND = Duration.ofSeconds(1);

    // Join and leave

    @Test
    void aJoinListsTheUserForTheWholeTtl() {
        JoinOutcome.Joined joined = join("n.a", 1);
        assertThat(users()).containsExactly("adi");
        assertThat(named()).isEqualTo("n.a");
        assertLeft(TTL);
        assertIdle(Duration.ZERO);
        assertThat(joined.rules().ttl()).isEqualTo(TTL);
        assertThat(joined.username()).isEqualTo("adi");
        assertThat(joined.change().orElseThrow()).isInstanceOf(RoomChange.Joined.class);
        assertThat(heard()).containsExactly("joined adi");
        assertThat(heardRevisions()).containsExactly(joined.revision());
    }

    @Test
    void aPresenceEndsAfterItsTtl() {
        join("n.a", 1);
        advance(TTL.minusSeconds(10));
        assertThat(users()).containsExactly("adi");
        advance(Duration.ofSeconds(11));
        assertThat(users()).isEmpty();
        assertThat(heartbeat()).isFalse();
    }

    @Test
    void theRevisionStartsAtTheClockAndRisesByOneWithEveryChange() {
        Instant before = now();
        long first = join("n.a", 1).revision();
        assertThat(Instant.ofEpochMilli(first)).isBetween(before.minus(SECOND), now().plus(SECOND));
        assertThat(join(seat("budi"), "n.b", 1).revision()).isEqualTo(first + 1);
        leave("n.a", 2);
        assertThat(page().revision()).isEqualTo(first + 2);
        assertThat(heard()).containsExactly("joined adi", "joined budi", "left adi left");
        assertThat(heardRevisions()).containsExactly(first, first + 1, first + 2);
    }

    @Test
    void aRoomThatWasEmptyForLongUsesNoRevisionTwice() {
        join("n.a", 1);
        leave("n.a", 2);
        long last = page().revision();
        advance(Duration.ofMinutes(5));
        assertThat(join("n.a", 3).revision()).isGreaterThan(last);
    }

    @Test
    void joiningAgainChangesNoRevisionAndKeepsTheTimeOfJoining() {
        long first = join("n.a", 1).revision();
        Instant joinedAt = listed().joinedAt();
        JoinOutcome.Joined again = join("n.b", 1);
        assertThat(again.revision()).isEqualTo(first);
        assertThat(again.change()).isEmpty();
        assertThat(listed().joinedAt()).isEqualTo(joinedAt);
        assertThat(heard()).containsExactly("joined adi");
    }

    @Test
    void aNewNameIsAnUpdateAndNoNameKeepsTheOldOne() {
        join("n.a", 1);
        JoinOutcome renamed = get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 2), named("Adi!"))));
        assertThat(((JoinOutcome.Joined) renamed).change().orElseThrow()).isInstanceOf(RoomChange.Updated.class);
        Profile nameless = new Profile(null, Username.of(ADI));
        JoinOutcome kept = get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 3), nameless)));
        assertThat(((JoinOutcome.Joined) kept).username()).isEqualTo("Adi!");
        assertThat(heard()).containsExactly("joined adi", "updated Adi!");
    }

    @Test
    void a24_luaTextInNamesIsHarmless() {
        String nasty = "\"]] redis.call('FLUSHALL') --\\ é𝄞 </x>";
        get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 1), named(nasty))));
        assertThat(listed().username()).isEqualTo(nasty);
        assertThat(heard()).containsExactly("joined " + nasty);
    }

    @Test
    void f46_aLateLeaveOfAnOldSocketDoesNotRemoveTheNewOne() {
        join("n.old", 1);
        disconnect("n.old", 2);
        join("n.new", 1);
        leave("n.old", 3);
        assertThat(named()).isEqualTo("n.new");
    }

    @Test
    void aLateLeaveDoesNothingAfterTheSameSocketJoinedAgain() {
        join("n.a", 1);
        join("n.a", 3);
        leave("n.a", 2);
        assertThat(users()).containsExactly("adi");
    }

    @Test
    void aJoinThatALaterOneOvertookIsSuperseded() {
        join("n.a", 3);
        assertThat(get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 2), named(ADI)))))
                .isInstanceOf(JoinOutcome.Superseded.class);
    }

    @Test
    void aJoinThatComesAfterItsFencedLeaveIsSuperseded() {
        get(stores().seats().leave(SEAT, holder("n.a", 5), RemovalReason.LEFT, true));
        assertThat(get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 5), named(ADI)))))
                .isInstanceOf(JoinOutcome.Superseded.class);
        assertThat(restore("n.a", 5)).isFalse();
        assertThat(users()).isEmpty();
        join("n.a", 6);
        assertThat(users()).containsExactly("adi");
    }

    @Test
    void aJoinThatComesAfterItsFencedDisconnectIsSuperseded() {
        get(stores().seats().disconnect(SEAT, holder("n.a", 5), true));
        assertThat(get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 5), named(ADI)))))
                .isInstanceOf(JoinOutcome.Superseded.class);
    }

    @Test
    void theLastLeaveRemovesTheUserAndEarlierOnesHandTheSeatOver() {
        join("n.a", 1);
        join("m.b", 1);
        leave("m.b", 2);
        assertThat(named()).isEqualTo("n.a");
        assertLeft(TTL);
        leave("n.a", 2);
        assertThat(users()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "left adi left");
    }

    @Test
    void aFullRoomRefusesNewUsersButNotItsOwn() {
        get(stores().settings().write(ROOM, new RoomSettings(null, null, 1)));
        join("n.a", 1);
        assertThat(get(stores().seats().join(SeatStore.Join.of(seat("budi"), holder("n.b", 1), named("b")))))
                .isInstanceOf(JoinOutcome.Full.class);
        join("m.c", 1);
        assertThat(users()).containsExactly("adi");
        leave("m.c", 2);
        leave("n.a", 2);
        join(seat("budi"), "n.b", 2);
    }

    @Test
    void aSocketThatMovesDoesNotBringBackAUserWhoWasRemovedMeanwhile() {
        long since = join("n.a", 1).revision();
        disconnect("n.a", 2);
        get(stores().seats().kick(SEAT, "bye"));
        assertThat(takeOver("m.a", 1, since)).isEqualTo(new JoinOutcome.Removed(RemovalReason.KICKED, "bye"));
        assertThat(users()).isEmpty();

        // The user may come back by themselves; the socket that moves was removed all the same.
        long again = join("n.b", 1).revision();
        assertThat(takeOver("m.a", 2, since)).isInstanceOf(JoinOutcome.Removed.class);
        assertThat(takeOver("m.b", 1, again)).isInstanceOf(JoinOutcome.Joined.class);
        leave("m.b", 2);
        leave("n.b", 2);
        assertThat(takeOver("m.b", 3, again)).as("a single socket left").isInstanceOf(JoinOutcome.Joined.class);
    }

    @Test
    void aUserWhoLeftEverywhereIsNotBroughtBackEvenIfTheyWereGone() {
        long since = join("n.a", 1).revision();
        disconnect("n.a", 2);
        advance(GRACE.plusSeconds(1));
        get(stores().seats().leaveEverywhere(SEAT, holder("n.b", 1)));
        assertThat(takeOver("m.a", 1, since)).isEqualTo(new JoinOutcome.Removed(RemovalReason.LEFT, null));
        assertThat(takeOver("m.b", 1, join("n.c", 1).revision())).isInstanceOf(JoinOutcome.Joined.class);
    }

    @Test
    void aLeaveEverywhereThatIsRepeatedDoesNotRemoveAUserWhoIsBack() {
        join("n.a", 1);
        join("m.b", 1);
        get(stores().seats().leaveEverywhere(SEAT, holder("n.a", 2)));
        assertThat(users()).isEmpty();
        join("m.b", 2);
        get(stores().seats().leaveEverywhere(SEAT, holder("n.a", 2)));
        assertThat(users()).containsExactly("adi");
        join("n.a", 4);
        get(stores().seats().leaveEverywhere(SEAT, holder("n.a", 3)));
        assertThat(users()).as("the socket has joined since").containsExactly("adi");
        get(stores().seats().leaveEverywhere(SEAT, holder("n.a", 5)));
        assertThat(users()).isEmpty();
    }

    @Test
    void aLeaveEverywhereVoidsAJoinUnderWay() {
        get(stores().seats().leaveEverywhere(SEAT, holder("n.a", 2)));
        assertThat(get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 1), named(ADI)))))
                .isInstanceOf(JoinOutcome.Superseded.class);
        assertThat(users()).isEmpty();
    }

    private JoinOutcome takeOver(String socket, long turn, long since) {
        return get(
                stores().seats().join(new SeatStore.Join(SEAT, holder(socket, turn), named(ADI), since, null, null)));
    }

    @Test
    void theLastWordOfASocketThatIsGoneEndsWhatItsReturnWasKeptFor() {
        join("n.a", 1);
        pause("n.a");
        suspend("n.a", 2);
        get(stores().seats().disconnect(SEAT, Holder.gone(new SocketId("n.other")), true));
        assertLeft(SETTINGS.away());
        get(stores().seats().disconnect(SEAT, Holder.gone(new SocketId("n.a")), true));
        assertLeft(GRACE);
        get(stores().seats().leave(SEAT, Holder.gone(new SocketId("n.other")), RemovalReason.LEFT, true));
        assertThat(users()).containsExactly("adi");
        get(stores().seats().leave(SEAT, Holder.gone(new SocketId("n.a")), RemovalReason.LEFT, true));
        assertThat(users()).isEmpty();
    }

    @Test
    void theLastWordOfASocketThatIsGoneDoesNotConcernTheUsersOtherSockets() {
        join("n.a", 1);
        disconnect("n.a", 2);
        join("m.b", 1);
        get(stores().seats().leave(SEAT, Holder.gone(new SocketId("n.a")), RemovalReason.LEFT, true));
        assertThat(named()).isEqualTo("m.b");
        assertLeft(TTL);
    }

    @Test
    void g4_theLastWordOfATabThatIsGoneLeavesTheUsersOtherTabItsGracePeriod() {
        Instant joinedAt = joinWithTwoTabsThatDisconnect();
        leaveGone("n.a");
        assertThat(named()).isEqualTo("n.b");
        assertLeft(GRACE);
        assertThat(takeOver("m.b", 1, 1)).isInstanceOf(JoinOutcome.Joined.class);
        assertThat(listed().joinedAt()).isEqualTo(joinedAt);
        assertThat(heard()).noneMatch(news -> news.startsWith("left") || news.startsWith("joined"));
    }

    @Test
    void aUserLeavesWithTheLastWordOfAllTheirTabs() {
        joinWithTwoTabsThatDisconnect();
        leaveGone("n.a");
        leaveGone("n.b");
        assertThat(users()).isEmpty();
    }

    @Test
    void aUserLeavesWithTheLastWordOfAllTheirTabsInTheOtherOrderToo() {
        joinWithTwoTabsThatDisconnect();
        leaveGone("n.b");
        assertThat(users()).containsExactly("adi");
        leaveGone("n.a");
        assertThat(users()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"n.a,n.b,n.c", "n.b,n.a,n.c", "n.a,n.c,n.b", "n.c,n.a,n.b", "n.b,n.c,n.a", "n.c,n.b,n.a"})
    void g4_ofThreeTabsThatDisconnectTheOneThatDoesNotLeaveKeepsItsGracePeriod(
            String first, String second, String staying) {
        join("n.c", 1);
        Instant joinedAt = joinWithTwoTabs();
        disconnect("n.c", 2);
        disconnect("n.b", 2);
        disconnect("n.a", 2);
        heard();
        leaveGone(first);
        leaveGone(second);
        assertThat(named()).isEqualTo(staying);
        assertLeft(GRACE);
        assertThat(takeOver("m.x", 1, 1)).isInstanceOf(JoinOutcome.Joined.class);
        assertThat(listed().joinedAt()).isEqualTo(joinedAt);
        assertThat(heard()).noneMatch(news -> news.startsWith("left") || news.startsWith("joined"));
        leave("m.x", 2);
        assertThat(users()).isEmpty();
    }

    @Test
    void g4_theLastWordOfATabThatItsNodeStillHoldsLeavesATabThatDisconnectedItsGracePeriod() {
        join("n.c", 1);
        joinWithTwoTabs();
        disconnect("n.c", 2);
        leaveGone("n.b");
        leaveGone("n.a");
        assertThat(named()).isEqualTo("n.c");
        assertLeft(GRACE);
        leaveGone("n.c");
        assertThat(users()).isEmpty();
    }

    @Test
    void undoingAJoinDoesNotReturnToTheGracePeriodOfATabThatLeft() {
        join("n.a", 1);
        join("n.b", 1);
        disconnect("n.a", 2);
        leaveGone("n.a");
        undo("n.b", 1);
        assertThat(users()).isEmpty();
    }

    @Test
    void aTabThatLeftDoesNotReturnToTheGracePeriodOfOneThatIsOver() {
        join("n.c", 1);
        joinWithTwoTabs();
        disconnect("n.c", 2);
        advance(GRACE.plusSeconds(1));
        disconnect("n.b", 2);
        leaveGone("n.b");
        disconnect("n.a", 2);
        leaveGone("n.a");
        assertThat(users()).isEmpty();
    }

    @Test
    void theLastWordOfASocketThatIsGoneDoesNotBringBackItsPredecessor() {
        join("n.a", 1);
        disconnect("n.a", 2);
        join("m.a", 1);
        disconnect("m.a", 2);
        leaveGone("m.a");
        assertThat(users()).isEmpty();
    }

    @Test
    void aTabThatCameBackAndLeftGetsNoOldGracePeriod() {
        joinWithTwoTabsThatDisconnect();
        join("m.a", 1);
        join("m.b", 1);
        leave("m.b", 2);
        disconnect("m.a", 2);
        leaveGone("m.a");
        assertThat(users()).isEmpty();
    }

    /** The seat names the second one that disconnects, {@code n.a}. Returns when the user joined. */
    private Instant joinWithTwoTabsThatDisconnect() {
        Instant joinedAt = joinWithTwoTabs();
        disconnect("n.b", 2);
        disconnect("n.a", 2);
        heard();
        return joinedAt;
    }

    private Instant joinWithTwoTabs() {
        join("n.a", 1);
        join("n.b", 1);
        return listed().joinedAt();
    }

    private void leaveGone(String socket) {
        get(stores().seats().leave(SEAT, Holder.gone(new SocketId(socket)), RemovalReason.LEFT, true));
    }

    @Test
    void removeTakesEverySocketAndReturnsWhetherTheUserWasPresent() {
        join("n.a", 1);
        join("m.b", 1);
        assertThat(get(stores().seats().kick(SEAT, "bye"))).isTrue();
        assertThat(get(stores().seats().kick(SEAT, null))).isFalse();
        assertThat(users()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "left adi kicked (bye)");
    }

    @Test
    void a56_aBannedUserNeitherJoinsNorIsRestored() {
        join("n.a", 1);
        ban(SEAT, Duration.ofMinutes(1));
        assertThat(restore("m.b", 1)).isFalse();
        assertThat(get(stores().seats().join(SeatStore.Join.of(SEAT, holder("m.b", 2), named(ADI)))))
                .isInstanceOf(JoinOutcome.Banned.class);
        unban(SEAT);
        assertThat(restore("m.b", 3)).isTrue();
        ban(SEAT, Duration.ofMinutes(1));
        advance(Duration.ofMinutes(2));
        join("m.b", 4);
    }

    // Heartbeats

    @Test
    void aHeartbeatRenewsAPresenceAndNeverCreatesOne() {
        assertThat(heartbeat()).isFalse();
        assertThat(users()).isEmpty();
        join("n.a", 1);
        advance(TTL.minusSeconds(60));
        assertThat(heartbeat()).isTrue();
        assertLeft(TTL);
        assertIdle(Duration.ZERO);
    }

    @Test
    void lastActiveIsTheLastHeartbeat() {
        join("n.a", 1);
        advance(Duration.ofSeconds(100));
        assertIdle(Duration.ofSeconds(100));
        heartbeat();
        assertIdle(Duration.ZERO);
    }

    @Test
    void duringTheGraceLastActiveIsTheLastHeartbeat() {
        join("n.a", 1);
        advance(Duration.ofSeconds(60));
        heartbeat();
        advance(Duration.ofSeconds(30));
        disconnect("n.a", 2);
        assertIdle(Duration.ofSeconds(30));
        advance(Duration.ofSeconds(5));
        assertIdle(Duration.ofSeconds(35));
    }

    @Test
    void aSocketKeepsItsUserInTheRoom() {
        assertThat(get(stores().seats().keeper(SEAT))).isEqualTo(SeatStore.Keeper.NOTHING);
        join("n.a", 1);
        assertThat(get(stores().seats().keeper(SEAT))).isEqualTo(SeatStore.Keeper.SOCKET);
        disconnect("n.a", 2);
        assertThat(get(stores().seats().keeper(SEAT))).isEqualTo(SeatStore.Keeper.NOTHING);
        restore("m.b", 1);
        assertThat(get(stores().seats().keeper(SEAT))).isEqualTo(SeatStore.Keeper.SOCKET);
        losePresence(SEAT);
        assertThat(get(stores().seats().keeper(SEAT))).isEqualTo(SeatStore.Keeper.NOTHING);
    }
}
