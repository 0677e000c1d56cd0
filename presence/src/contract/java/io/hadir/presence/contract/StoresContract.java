package io.hadir.presence.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.NodeRooms;
import io.hadir.presence.RoomDirectory;
import io.hadir.presence.RoomStore.Checked;
import io.hadir.presence.RoomStore.Claim;
import io.hadir.presence.RoomStore.Claims;
import io.hadir.presence.RoomStore.Compared;
import io.hadir.presence.RoomStore.Headcount;
import io.hadir.presence.SeatStore;
import io.hadir.presence.room.FirstPage;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.JoinOutcome.View;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What every implementation of the stores and of the feed must do. */
public abstract class StoresContract extends StoreSteps {
    private static final Duration AWAY = Duration.ofMinutes(30);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SHORT_TTL = Duration.ofMinutes(1);

    // Join and leave

    @Test
    void aJoinListsTheUserForTheWholeTtl() {
        JoinOutcome.Joined joined = join("n.a", 1);
        assertThat(users()).containsExactly("adi");
        assertThat(named()).isEqualTo("n.a");
        assertLeft(TTL);
        assertIdle(Duration.ZERO);
        assertThat(joined.ttl()).isEqualTo(TTL);
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
        JoinOutcome renamed = get(stores().seats().join(SEAT, holder("n.a", 2), named("Adi!")));
        assertThat(((JoinOutcome.Joined) renamed).change().orElseThrow()).isInstanceOf(RoomChange.Updated.class);
        Profile nameless = new Profile(null, Username.of(ADI));
        JoinOutcome kept = get(stores().seats().join(SEAT, holder("n.a", 3), nameless));
        assertThat(((JoinOutcome.Joined) kept).username()).isEqualTo("Adi!");
        assertThat(heard()).containsExactly("joined adi", "updated Adi!");
    }

    @Test
    void a24_luaTextInNamesIsHarmless() {
        String nasty = "\"]] redis.call('FLUSHALL') --\\ é𝄞 </x>";
        get(stores().seats().join(SEAT, holder("n.a", 1), named(nasty)));
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
        assertThat(get(stores().seats().join(SEAT, holder("n.a", 2), named(ADI))))
                .isInstanceOf(JoinOutcome.Superseded.class);
    }

    @Test
    void aJoinThatComesAfterItsFencedLeaveIsSuperseded() {
        get(stores().seats().leave(SEAT, holder("n.a", 5), LeaveReason.LEFT, true));
        assertThat(get(stores().seats().join(SEAT, holder("n.a", 5), named(ADI))))
                .isInstanceOf(JoinOutcome.Superseded.class);
        assertThat(restore("n.a", 5)).isFalse();
        assertThat(users()).isEmpty();
        join("n.a", 6);
        assertThat(users()).containsExactly("adi");
    }

    @Test
    void aJoinThatComesAfterItsFencedDisconnectIsSuperseded() {
        get(stores().seats().disconnect(SEAT, holder("n.a", 5), true));
        assertThat(get(stores().seats().join(SEAT, holder("n.a", 5), named(ADI))))
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
        assertThat(get(stores().seats().join(seat("budi"), holder("n.b", 1), named("b"))))
                .isInstanceOf(JoinOutcome.Full.class);
        join("m.c", 1);
        assertThat(users()).containsExactly("adi");
        leave("m.c", 2);
        leave("n.a", 2);
        join(seat("budi"), "n.b", 2);
    }

    @Test
    void removeTakesEverySocketAndReturnsWhetherTheUserWasPresent() {
        join("n.a", 1);
        join("m.b", 1);
        assertThat(get(stores().seats().remove(SEAT, LeaveReason.KICKED, "bye")))
                .isTrue();
        assertThat(get(stores().seats().remove(SEAT, LeaveReason.KICKED, null))).isFalse();
        assertThat(users()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "left adi kicked (bye)");
    }

    @Test
    void a56_aBannedUserNeitherJoinsNorIsRestored() {
        join("n.a", 1);
        ban(SEAT, Duration.ofMinutes(1));
        assertThat(restore("m.b", 1)).isFalse();
        assertThat(get(stores().seats().join(SEAT, holder("m.b", 2), named(ADI))))
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
    void aSeatIsHeldWhileASocketIsOnIt() {
        assertThat(get(stores().seats().isHeld(SEAT))).isFalse();
        join("n.a", 1);
        assertThat(get(stores().seats().isHeld(SEAT))).isTrue();
        disconnect("n.a", 2);
        assertThat(get(stores().seats().isHeld(SEAT))).isFalse();
        restore("m.b", 1);
        assertThat(get(stores().seats().isHeld(SEAT))).isTrue();
        losePresence(SEAT);
        assertThat(get(stores().seats().isHeld(SEAT))).isFalse();
    }

    // Grace periods

    @Test
    void aDisconnectLeavesOnlyTheGracePeriod() {
        join("n.a", 1);
        disconnect("n.a", 2);
        assertLeft(GRACE);
        assertThat(users()).containsExactly("adi");
        assertThat(get(stores().rooms().expireGraces(ROOM)).orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
        assertThat(heard()).containsExactly("joined adi", "expiring 15");
    }

    @Test
    void aDisconnectNeverProlongsAPresence() {
        join("n.a", 1);
        advance(TTL.minusSeconds(10));
        disconnect("n.a", 2);
        assertLeft(Duration.ofSeconds(10));
    }

    @Test
    void aDisconnectOfOneTabLeavesTheOtherItsFullTtl() {
        join("n.a", 1);
        join("m.b", 1);
        disconnect("m.b", 2);
        assertThat(named()).isEqualTo("n.a");
        assertLeft(TTL);
    }

    @Test
    void aRejoinInsideTheGraceIsSilent() {
        long revision = join("n.a", 1).revision();
        disconnect("n.a", 2);
        assertThat(join("m.b", 1).revision()).isEqualTo(revision);
        assertLeft(TTL);
        advance(GRACE.plus(SECOND));
        assertThat(get(stores().rooms().expireGraces(ROOM))).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "expiring 15");
    }

    @Test
    void anExpiredGracePeriodIsAnnouncedOnceAsDisconnected() {
        long revision = join("n.a", 1).revision();
        disconnect("n.a", 2);
        advance(GRACE.plus(SECOND));
        assertThat(users()).isEmpty();
        assertThat(get(stores().rooms().expireGraces(ROOM))).isEmpty();
        assertThat(get(stores().rooms().expireGraces(ROOM))).isEmpty();
        assertThat(page().revision()).isEqualTo(revision + 1);
        assertThat(heard()).containsExactly("joined adi", "expiring 15", "left adi disconnected");
    }

    @Test
    void g4_aUserWithAHeartbeatInTheGracePeriodIsNotAnnounced() {
        join("n.a", 1);
        disconnect("n.a", 2);
        heartbeat();
        advance(GRACE.plus(SECOND));
        assertThat(get(stores().rooms().expireGraces(ROOM))).isEmpty();
        assertThat(users()).containsExactly("adi");
        assertThat(heard()).containsExactly("joined adi", "expiring 15");
    }

    @Test
    void aRestoreLastsTwoHeartbeatIntervalsAndAHeartbeatTheWholeTtl() {
        join("n.a", 1);
        disconnect("n.a", 2);
        assertThat(restore("m.b", 1)).isTrue();
        assertThat(named()).isEqualTo("m.b");
        assertLeft(HEARTBEAT.multipliedBy(2));
        assertThat(heard()).containsExactly("joined adi", "expiring 15", "expiring 50");
        heartbeat();
        assertLeft(TTL);
    }

    @Test
    void aRestoreWithoutAHeartbeatExpiresAsDisconnected() {
        join("n.a", 1);
        disconnect("n.a", 2);
        restore("m.b", 1);
        advance(HEARTBEAT.multipliedBy(2).plus(SECOND));
        get(stores().rooms().expireGraces(ROOM));
        assertThat(users()).isEmpty();
        assertThat(heard()).endsWith("left adi disconnected");
    }

    @Test
    void nothingIsRestoredAfterTheGrace() {
        assertThat(restore("m.b", 1)).isFalse();
        join("n.a", 1);
        disconnect("n.a", 2);
        advance(GRACE.plus(SECOND));
        assertThat(restore("m.b", 2)).isFalse();
        assertThat(users()).isEmpty();
    }

    @Test
    void aHeartbeatAfterARestoreCountsHoweverShortTheTtl() {
        get(stores().settings().write(ROOM, new RoomSettings(Duration.ofSeconds(20), null, null)));
        join("n.a", 1);
        disconnect("n.a", 2);
        restore("m.b", 1);
        advance(Duration.ofSeconds(2));
        get(stores().seats().heartbeat(SEAT, Duration.ofSeconds(20)));
        assertIdle(Duration.ZERO);
    }

    @Test
    void roomsAreRememberedForTheGracePeriod() {
        assertThat(get(stores().seats().rememberedRooms(ADI))).isEmpty();
        get(stores().seats().rememberRooms(ADI, List.of(ROOM)));
        get(stores().seats().rememberRooms(ADI, List.of(new RoomId("s"))));
        assertThat(get(stores().seats().rememberedRooms(ADI))).containsExactlyInAnyOrder(ROOM, new RoomId("s"));
        advance(GRACE.multipliedBy(2));
        assertThat(get(stores().seats().rememberedRooms(ADI))).isEmpty();
    }

    // Undone joins and dead sockets

    @Test
    void undoingTheJoinOfANewUserLeavesNothing() {
        join("n.a", 1);
        undo("n.a", 1);
        assertThat(users()).isEmpty();
        assertThat(get(stores().rooms().count(ROOM)).dead()).isEmpty();
    }

    @Test
    void aJoinThatComesAfterItsUndoIsSuperseded() {
        undo("n.a", 1);
        assertThat(get(stores().seats().join(SEAT, holder("n.a", 1), named(ADI))))
                .isInstanceOf(JoinOutcome.Superseded.class);
    }

    @Test
    void g6_undoingAJoinReturnsTheUserToTheirGracePeriod() {
        join("n.old", 1);
        disconnect("n.old", 2);
        advance(Duration.ofSeconds(5));
        long revision = join("m.new", 1).revision();
        undo("m.new", 1);
        assertThat(named()).isEqualTo("n.old");
        assertLeft(Duration.ofSeconds(10));
        assertThat(get(stores().rooms().expireGraces(ROOM))).isPresent();
        assertThat(join("m.new", 2).revision()).isEqualTo(revision);
    }

    @Test
    void aGraceThatIsOverDoesNotComeBack() {
        join("n.old", 1);
        disconnect("n.old", 2);
        join("m.new", 1);
        advance(GRACE.plus(SECOND));
        undo("m.new", 1);
        assertThat(users()).isEmpty();
    }

    @Test
    void aUserWhoReturnsAndThenLeavesIsRemovedAtOnce() {
        join("n.old", 1);
        disconnect("n.old", 2);
        join("m.new", 1);
        get(stores().seats().leave(SEAT, holder("m.new", 2), LeaveReason.LEFT, true));
        assertThat(users()).isEmpty();
    }

    @Test
    void g6_aUserWhoDisconnectsDuringAnUndoneJoinHasAGracePeriod() {
        join("n.old", 1);
        join("m.new", 1);
        disconnect("n.old", 2);
        undo("m.new", 1);
        assertThat(named()).isEqualTo("n.old");
        assertLeft(GRACE);
    }

    @Test
    void anotherSocketKeepsTheSeatOfAnUndoneJoin() {
        join("n.a", 1);
        join("m.b", 1);
        undo("m.b", 1);
        assertThat(named()).isEqualTo("n.a");
        assertLeft(TTL);
    }

    @Test
    void theSweepTakesDeadSocketsOffASeatButNotInTheGracePeriod() {
        join("dead.a", 1);
        join("live.b", 1);
        assertThat(sweep("dead.a")).isFalse();
        assertThat(named()).isEqualTo("live.b");
        assertThat(sweep("live.b")).isTrue();
        assertThat(users()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "left adi server_gone");

        join("dead.a", 2);
        disconnect("dead.a", 3);
        assertThat(sweep("dead.a")).isFalse();
        assertThat(users()).containsExactly("adi");
    }

    @Test
    void aUserWhoDisconnectsBesideADeadSocketHasAGracePeriod() {
        join("dead.a", 1);
        join("n.b", 1);
        disconnect("n.b", 2);
        sweep("dead.a");
        assertThat(named()).isEqualTo("n.b");
        assertLeft(GRACE);
    }

    @Test
    void aUserWhoLeavesBesideADeadSocketIsRemoved() {
        join("dead.a", 1);
        join("n.b", 1);
        join("n.c", 1);
        disconnect("n.b", 2);
        leave("n.c", 2);
        sweep("dead.a");
        assertThat(users()).isEmpty();
    }

    @Test
    void g4_aResumedGracePeriodEndsWhenItWouldHave() {
        join("n.a", 1);
        disconnect("n.a", 2);
        advance(Duration.ofSeconds(5));
        join("dead.b", 1);
        sweep("dead.b");
        assertThat(named()).isEqualTo("n.a");
        assertLeft(Duration.ofSeconds(10));
        advance(Duration.ofSeconds(11));
        get(stores().rooms().expireGraces(ROOM));
        assertThat(heard()).containsExactly("joined adi", "expiring 15", "expiring 10", "left adi disconnected");
    }

    @Test
    void g4_theSweepReturnsASeatWithALateHeartbeatToItsGracePeriod() {
        long revision = join("n.a", 1).revision();
        disconnect("n.a", 2);
        heartbeat();
        assertLeft(TTL);
        assertThat(sweep("n.a")).isFalse();
        assertLeft(GRACE);
        assertThat(get(stores().rooms().expireGraces(ROOM))).isPresent();
        assertThat(join("n.b", 1).revision()).as("no user comes back").isEqualTo(revision);
    }

    @Test
    void g4_theSweepRemovesAUserWithALateHeartbeatAfterTheGracePeriod() {
        join("n.a", 1);
        disconnect("n.a", 2);
        heartbeat();
        advance(GRACE.plus(SECOND));
        assertThat(sweep("n.a")).isTrue();
        assertThat(users()).isEmpty();
    }

    @Test
    void g4_aDeadSocketGetsNoOldGracePeriod() {
        join("n.a", 1);
        disconnect("n.a", 2);
        restore("dead.b", 1);
        heartbeat();
        advance(GRACE.plus(SECOND));
        assertThat(sweep("dead.b")).isTrue();
        assertThat(users()).isEmpty();
    }

    // Dead nodes

    @Test
    void theSeatsOfADeadNodeAreSweptAndNoOthers() {
        join("dead.a", 1);
        join(seat("budi"), "dead.b", 1);
        join(seat("citra"), "n.c", 1);
        join(seat("dewi"), "dead.d", 1);
        join(seat("dewi"), "n.d", 1);
        join(seat("eka"), "deader.e", 1);
        SeatStore.Swept swept = sweepNode("dead", null);
        assertThat(swept.removed()).isEqualTo(2);
        assertThat(swept.inGrace()).isEmpty();
        assertThat(users()).containsExactlyInAnyOrder("citra", "dewi", "eka");
        assertThat(heard())
                .contains("left adi server_gone", "left budi server_gone")
                .hasSize(7);
        assertThat(sweepNode("dead", null).removed()).isZero();
        assertThat(heard()).isEmpty();
    }

    @Test
    void aSeatPassesFromADeadNodeToTheUsersOtherSocket() {
        join("n.b", 1);
        join("dead.a", 1);
        assertThat(named()).isEqualTo("dead.a");
        assertThat(sweepNode("dead", null).removed()).isZero();
        assertThat(named()).isEqualTo("n.b");
        assertLeft(TTL);
        leave("n.b", 2);
        assertThat(users()).isEmpty();
    }

    @Test
    void theSweepOfANodeLeavesGracePeriodsAlone() {
        join("dead.a", 1);
        disconnect("dead.a", 2);
        assertThat(sweepNode("dead", null).removed()).isZero();
        assertThat(users()).containsExactly("adi");
        assertLeft(GRACE);
    }

    @Test
    void theUsersOfACertainlyDeadNodeHaveTheRestOfAGracePeriod() {
        join("dead.a", 1);
        advance(Duration.ofSeconds(30));
        heartbeat();
        advance(Duration.ofSeconds(20));
        heard();
        SeatStore.Swept swept = sweepNode("dead", now().plusSeconds(9));
        assertThat(swept.removed()).isZero();
        assertThat(swept.inGrace()).containsExactly(ADI);
        assertLeft(Duration.ofSeconds(9));
        assertIdle(Duration.ofSeconds(20));
        assertThat(get(stores().seats().isHeld(SEAT))).isFalse();
        assertThat(sweepNode("dead", now().plusSeconds(9)).inGrace()).isEmpty();
        assertThat(heard()).containsExactly("expiring 10");
        advance(Duration.ofSeconds(10));
        get(stores().rooms().expireGraces(ROOM));
        assertThat(heard()).containsExactly("left adi disconnected");
    }

    @Test
    void aUserOfACertainlyDeadNodeWhoReturnsInTimeIsNotSeenToLeave() {
        long revision = join("dead.a", 1).revision();
        sweepNode("dead", now().plusSeconds(9));
        assertThat(join("n.b", 1).revision()).isEqualTo(revision);
        advance(Duration.ofSeconds(20));
        get(stores().rooms().expireGraces(ROOM));
        assertThat(users()).containsExactly("adi");
        assertThat(heard()).containsExactly("joined adi", "expiring 10");
    }

    @Test
    void aGracePeriodOfADeadNodeThatIsOverRemovesTheUser() {
        join("dead.a", 1);
        assertThat(sweepNode("dead", now().minusSeconds(1)).removed()).isEqualTo(1);
        assertThat(users()).isEmpty();
    }

    @Test
    void theGracePeriodOfADeadNodeIsNeverLongerThanAnyOther() {
        join("dead.a", 1);
        sweepNode("dead", now().plusSeconds(3600));
        assertLeft(GRACE);
    }

    @Test
    void theSeatsOfADeadNodeAreFoundInALargeRoom() {
        List<CompletionStage<JoinOutcome>> joins = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            String node = i % 3 == 0 ? "dead" : "n";
            joins.add(stores().seats().join(seat("u" + i), holder(node + ".s" + i, 1), named("x")));
        }
        joins.forEach(this::get);
        assertThat(sweepNode("dead", null).removed()).isEqualTo(400);
        assertThat(get(stores().rooms().count(ROOM)).alive()).isEqualTo(800);
        assertThat(heard().stream().filter(told -> told.startsWith("left"))).hasSize(400);
    }

    @Test
    void theRecordOfANodeHasItsRooms() {
        NodeRooms records = stores().nodeRooms();
        RoomId other = new RoomId("other");
        assertThat(get(records.renew("a"))).isFalse();
        assertThat(get(records.renew("a"))).isTrue();
        get(records.add("a", List.of(ROOM, other)));
        get(records.add("b", List.of(ROOM)));
        get(records.remove("a", List.of(other)));
        List<RoomId> found = new ArrayList<>();
        assertThat(get(records.each("a", page -> {
                    found.addAll(page);
                    return CompletableFuture.completedFuture(true);
                })))
                .isTrue();
        assertThat(found).containsExactly(ROOM);
    }

    @Test
    void aRecordThatItsNodeHasNotRenewedIsNotWhole() {
        NodeRooms records = stores().nodeRooms();
        assertThat(get(records.each("a", page -> CompletableFuture.completedFuture(true))))
                .isFalse();
        get(records.add("a", List.of(ROOM)));
        assertThat(get(records.each("a", page -> CompletableFuture.completedFuture(true))))
                .isFalse();
    }

    // Presences that ended unseen

    @Test
    void aLostPresenceIsGoneFromTheVeryNextAnswer() {
        join("n.a", 1);
        join(seat("budi"), "n.b", 1);
        losePresence(SEAT);
        assertThat(users()).containsExactly("budi");
        Headcount count = get(stores().rooms().count(ROOM));
        assertThat(count.alive()).isEqualTo(1);
        assertThat(count.dead()).containsExactly(ADI);
        assertThat(count.revision()).isEqualTo(page().revision());
        assertThat(get(stores().rooms().absent(ROOM, List.of(ADI, new UserId("budi"), new UserId("citra")))))
                .containsExactlyInAnyOrder(ADI, new UserId("citra"));
    }

    @Test
    void aJoinAfterAnUnnoticedLossAnnouncesTheLeaveFirst() {
        long revision = join("n.a", 1).revision();
        losePresence(SEAT);
        assertThat(join("m.b", 1).revision()).isEqualTo(revision + 2);
        assertThat(heard()).containsExactly("joined adi", "left adi presence_lost", "joined adi");
    }

    @Test
    void aJoinAfterAnUnnoticedExpiryAnnouncesTheReason() {
        join("n.a", 1);
        advance(TTL.plus(SECOND));
        join("n.a", 2);
        disconnect("n.a", 3);
        advance(GRACE.plus(SECOND));
        join("n.a", 4);
        assertThat(heard())
                .containsExactly(
                        "joined adi",
                        "left adi inactivity_timeout",
                        "joined adi",
                        "expiring 15",
                        "left adi disconnected",
                        "joined adi");
    }

    @Test
    void aLateLeaveAnnouncesAPresenceThatEndedUnseen() {
        join("n.a", 1);
        losePresence(SEAT);
        leave("n.a", 2);
        leave("n.a", 3);
        assertThat(heard()).containsExactly("joined adi", "left adi presence_lost");
    }

    @Test
    void expiredPresencesAreAnnouncedOnceAndLiveOnesAreUntouched() {
        long revision = join("n.a", 1).revision();
        join(seat("budi"), "n.b", 1);
        losePresence(SEAT);
        Map<UserId, Optional<LeaveReason>> both =
                Map.of(ADI, Optional.of(LeaveReason.INACTIVITY_TIMEOUT), new UserId("budi"), Optional.empty());
        get(stores().rooms().announceExpired(ROOM, both));
        get(stores().rooms().announceExpired(ROOM, both));
        assertThat(users()).containsExactly("budi");
        assertThat(page().revision()).isEqualTo(revision + 2);
        assertThat(heard()).containsExactly("joined adi", "joined budi", "left adi inactivity_timeout");
    }

    @Test
    void aGracePeriodThatEndedUnseenIsADisconnectWhateverTheNodeSays() {
        join("n.a", 1);
        disconnect("n.a", 2);
        advance(GRACE.plus(SECOND));
        get(stores().rooms().announceExpired(ROOM, Map.of(ADI, Optional.of(LeaveReason.INACTIVITY_TIMEOUT))));
        assertThat(heard()).endsWith("left adi disconnected");
    }

    // Checks

    @Test
    void aCheckFindsDeadPresences() {
        long revision = join("n.a", 1).revision();
        Checked checked = get(stores().rooms().check(ROOM, List.of(claim("adi", "n.a", 1), claim("budi", "n.b", 1))));
        assertThat(checked.alive()).containsExactly(true, false);
        assertThat(checked.rules().ttl()).isEqualTo(TTL);
        assertThat(checked.revision()).isEqualTo(revision);
        assertThat(checked.nextExpiry()).isEmpty();
        losePresence(SEAT);
        assertThat(get(stores().rooms().check(ROOM, List.of(claim("adi", "n.a", 1))))
                        .alive())
                .containsExactly(false);
    }

    @Test
    void aCheckRestoresLostDetailsAndAnnouncesTheName() {
        get(stores().seats().join(SEAT, holder("n.a", 1), named("Adi!")));
        loseDetails(SEAT);
        assertThat(listed().username()).isEqualTo("adi");
        get(stores().rooms().check(ROOM, List.of(claim("adi", "n.a", 1))));
        get(stores().rooms().check(ROOM, List.of(claim("adi", "n.a", 1))));
        assertThat(heard()).containsExactly("joined Adi!", "updated adi");
        leave("n.a", 2);
        assertThat(users()).isEmpty();
    }

    @Test
    void aCheckTakesASeatOutOfTheGracePeriodOfAnotherSocket() {
        join("n.a", 1);
        disconnect("n.a", 2);
        Checked checked = get(stores().rooms().check(ROOM, List.of(claim("adi", "m.b", 1))));
        assertThat(checked.nextExpiry()).isEmpty();
        assertLeft(TTL);
        assertThat(get(stores().seats().isHeld(SEAT))).isTrue();
    }

    @Test
    void aCheckNamesASocketThatIsThereInThePresence() {
        join("n.a", 1);
        disconnect("n.a", 2);
        get(stores().rooms().check(ROOM, List.of(claim("adi", "m.b", 1))));
        assertThat(compare(claim("adi", "m.b", 1)).right()).isTrue();
        get(stores().seats().sweep(SEAT, LeaveReason.SERVER_GONE, List.of(new SocketId("n.a"))));
        assertThat(users()).containsExactly("adi");
    }

    // Comparisons

    @Test
    void aComparisonFindsNothingToDoWhereAllIsRight() {
        join("n.a", 1);
        long revision = join(seat("budi"), "n.b", 1).revision();
        Compared compared = compare(claim("adi", "n.a", 1), claim("budi", "n.b", 1));
        assertThat(compared.right()).isTrue();
        assertThat(compared.revision()).isEqualTo(revision);
        assertThat(compared.rules().ttl()).isEqualTo(TTL);
        assertThat(compared.nextExpiry()).isEmpty();
        assertThat(compared.shared()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "joined budi");
    }

    @Test
    void aComparisonFindsALostPresence() {
        join("n.a", 1);
        losePresence(SEAT);
        assertThat(compare(claim("adi", "n.a", 1)).right()).isFalse();
        assertThat(heard()).containsExactly("joined adi");
    }

    @Test
    void aComparisonFindsLostDetails() {
        join("n.a", 1);
        loseDetails(SEAT);
        assertThat(compare(claim("adi", "n.a", 1)).right()).isFalse();
    }

    @Test
    void aComparisonFindsASeatThatHasLostItsSocket() {
        join("n.a", 1);
        join("m.b", 1);
        assertThat(compare(claim("adi", "m.c", 1)).right()).isFalse();
        disconnect("n.a", 2);
        disconnect("m.b", 2);
        assertThat(compare(claim("adi", "m.b", 1)).right()).isFalse();
    }

    @Test
    void aComparisonReturnsTheSeatsThatSeveralSocketsHold() {
        join("n.a", 1);
        join("m.b", 1);
        join(seat("budi"), "n.c", 1);
        Compared compared = compare(claim("adi", "n.a", 1), claim("budi", "n.c", 1));
        assertThat(compared.right()).isTrue();
        assertThat(compared.shared()).singleElement().satisfies(shared -> {
            assertThat(shared.seat()).isEqualTo(SEAT);
            assertThat(shared.sockets()).containsExactlyInAnyOrder(new SocketId("n.a"), new SocketId("m.b"));
        });
    }

    @Test
    void aComparisonReturnsTheRulesAndTheNextEndOfAGracePeriod() {
        get(stores().settings().write(ROOM, new RoomSettings(Duration.ofMinutes(7), "Bye", null)));
        join("n.a", 1);
        join(seat("budi"), "n.b", 1);
        disconnect("n.a", 2);
        Compared compared = compare(claim("budi", "n.b", 1));
        assertThat(compared.right()).isTrue();
        assertThat(compared.rules().ttl()).isEqualTo(Duration.ofMinutes(7));
        assertThat(compared.rules().inactivityMessage()).isEqualTo("Bye");
        assertThat(compared.nextExpiry().orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
    }

    @Test
    void manyRoomsAreComparedAtOnce() {
        join("n.a", 1);
        RoomId other = new RoomId("other");
        RoomId empty = new RoomId("empty");
        get(stores().seats().join(new Seat(other, new UserId("budi")), holder("n.b", 1), named("Budi")));
        List<Compared> compared = stores()
                .rooms()
                .compare(List.of(
                        new Claims(other, List.of(claim("budi", "n.b", 1))),
                        new Claims(empty, List.of(claim("adi", "n.a", 1))),
                        new Claims(ROOM, List.of(claim("adi", "n.a", 1)))))
                .stream()
                .map(this::get)
                .toList();
        assertThat(compared.stream().map(Compared::right)).containsExactly(true, false, true);
        assertThat(compared.get(1).revision()).isZero();
    }

    private Compared compare(Claim... claims) {
        return get(stores().rooms()
                .compare(List.of(new Claims(ROOM, List.of(claims))))
                .get(0));
    }

    @Test
    void aSeatIsHeldByTheSocketsOfItsDetailsOnly() {
        join("n.a", 1);
        assertThat(get(stores().seats().isHeldBy(SEAT, new SocketId("n.a")))).isTrue();
        assertThat(get(stores().seats().isHeldBy(SEAT, new SocketId("n.b")))).isFalse();
        disconnect("n.a", 2);
        assertThat(get(stores().seats().isHeldBy(SEAT, new SocketId("n.a")))).isFalse();
        join("n.a", 3);
        loseDetails(SEAT);
        assertThat(get(stores().seats().isHeldBy(SEAT, new SocketId("n.a")))).isFalse();
    }

    @Test
    void aCheckReturnsTheNextEndOfAGracePeriod() {
        join("n.a", 1);
        join(seat("budi"), "n.b", 1);
        disconnect("n.a", 2);
        assertThat(get(stores().rooms().check(ROOM, List.of(claim("budi", "n.b", 1))))
                        .nextExpiry()
                        .orElseThrow())
                .isBetween(GRACE.minus(slack()), GRACE);
    }

    @Test
    void aRevisionIsRaisedAboveOneThatWasToldAndNotTwice() {
        long told = join("n.a", 1).revision() + 1000;
        get(stores().rooms().raise(ROOM, told));
        get(stores().rooms().raise(ROOM, told));
        assertThat(page().revision()).isGreaterThan(told);
        assertThat(heard()).containsExactly("joined adi", "raised");
        assertThat(heardRevisions()).endsWith(page().revision());
    }

    // Lists and counts

    @Test
    void pagesOfALargeRoomAreInOrderAndMissNoStayingUser() {
        List<CompletionStage<JoinOutcome>> joins = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            joins.add(stores().seats().join(seat("u" + i), holder("n.s" + i, 1), named("x")));
        }
        joins.forEach(this::get);
        assertThat(get(stores().rooms().count(ROOM)).alive()).isEqualTo(1200);
        Page page = get(stores().rooms().list(ROOM, null, 500));
        List<Participant> found = new ArrayList<>(page.participants());
        // Two users leave between the pages: one of the first page, and the one after whom the next page begins.
        get(stores().seats().remove(seat(found.get(10).user().value()), LeaveReason.LEFT, null));
        get(stores().seats().remove(seat(found.get(499).user().value()), LeaveReason.LEFT, null));
        while (page.next() != null) {
            page = get(stores().rooms().list(ROOM, page.next(), 500));
            found.addAll(page.participants());
        }
        assertThat(found).extracting(Participant::user).hasSize(1200).doesNotHaveDuplicates();
        assertThat(found).extracting(Participant::position).isSorted();
        assertThat(get(stores().rooms().count(ROOM)).alive()).isEqualTo(1198);
    }

    @Test
    void manyRoomsAreCountedAtOnce() {
        join("n.a", 1);
        RoomId empty = new RoomId("empty");
        RoomId other = new RoomId("other");
        join(new Seat(other, ADI), "n.a", 2);
        losePresence(new Seat(other, ADI));
        var counts = stores().rooms().count(List.of(ROOM, empty, other));
        assertThat(counts.keySet()).containsExactlyInAnyOrder(ROOM, empty, other);
        assertThat(get(counts.get(ROOM)).alive()).isEqualTo(1);
        assertThat(get(counts.get(empty)).alive()).isZero();
        assertThat(get(counts.get(other)).alive()).isZero();
        assertThat(get(counts.get(other)).dead()).containsExactly(ADI);
    }

    @Test
    void aKnownRosterIsListedIfItIsStillTrue() {
        Roster known = roster("adi", "budi", "citra");
        FirstPage again = get(stores().rooms().listFirst(ROOM, 100, known));
        assertThat(users(again.page())).containsExactly("adi", "budi", "citra");
        assertThat(again.page().revision()).isEqualTo(known.revision());
        losePresence(seat("budi"));
        FirstPage fewer = get(stores().rooms().listForNewcomer(ROOM, 100, known));
        assertThat(users(fewer.page())).containsExactly("adi", "citra");
        assertThat(Objects.requireNonNull(fewer.everybody()).participants()).hasSize(2);
    }

    @Test
    void afterAChangeEverythingIsReadAgain() {
        Roster known = roster("adi", "budi");
        join(seat("citra"), "n.c", 1);
        assertThat(users(get(stores().rooms().listFirst(ROOM, 100, known)).page()))
                .containsExactly("adi", "budi", "citra");
        leave("n.adi", 2);
        advance(SECOND);
        join("n.adi", 3);
        assertThat(users(get(stores().rooms().listFirst(ROOM, 100, known)).page()))
                .containsExactly("budi", "citra", "adi");
    }

    @Test
    void aRosterThatLacksAUserHidesNobody() {
        Roster known = roster("adi", "budi", "citra");
        Roster two = new Roster(known.revision(), known.participants().subList(0, 2));
        assertThat(users(get(stores().rooms().listFirst(ROOM, 100, two)).page()))
                .containsExactly("adi", "budi", "citra");
    }

    @Test
    void aSmallPageHasAPositionToContinueAndStillKnowsEverybody() {
        Roster known = roster("adi", "budi", "citra");
        FirstPage two = get(stores().rooms().listFirst(ROOM, 2, known));
        assertThat(users(two.page())).containsExactly("adi", "budi");
        assertThat(two.page().next()).isEqualTo(known.participants().get(1).position());
        assertThat(Objects.requireNonNull(two.everybody()).participants()).hasSize(3);
        assertThat(users(get(stores().rooms().list(ROOM, two.page().next(), 2))))
                .containsExactly("citra");
        assertThat(get(stores().rooms().listFirst(ROOM, 2, null)).everybody()).isNull();
    }

    @Test
    void lastActiveIsTheSameWithAKnownRoster() {
        roster("adi", "budi");
        advance(Duration.ofSeconds(100));
        heartbeat();
        advance(Duration.ofSeconds(10));
        Roster known = Objects.requireNonNull(
                get(stores().rooms().listFirst(ROOM, 100, Roster.UNKNOWN)).everybody());
        disconnect("n.adi", 2);
        List<Participant> withRoster =
                get(stores().rooms().listFirst(ROOM, 100, known)).page().participants();
        assertThat(withRoster)
                .extracting(Participant::lastActiveAt)
                .isEqualTo(page().participants().stream()
                        .map(Participant::lastActiveAt)
                        .toList());
        assertIdle(Duration.ofSeconds(10));
    }

    private Roster roster(String... users) {
        for (String user : users) {
            join(seat(user), "n." + user, 1);
        }
        FirstPage page = get(stores().rooms().listFirst(ROOM, 100, Roster.UNKNOWN));
        return Objects.requireNonNull(page.everybody());
    }

    @Test
    void aJoinListsTheRoomInTheSameStep() {
        join(seat("budi"), "n.b", 1);
        advance(SECOND);
        View view = joinAndLook(SEAT, "n.a", Roster.UNKNOWN);
        assertThat(users(view.first().page())).containsExactly("budi", "adi");
        assertThat(view.first().page())
                .isEqualTo(get(stores().rooms().listFirst(ROOM, 100, null)).page());
        assertThat(view.nextExpiry()).isEmpty();
        assertThat(join(seat("citra"), "n.c", 1).view()).isEmpty();
    }

    @Test
    void aJoinToAKnownRoomListsTheNewcomerToo() {
        Roster known = roster("adi", "budi");
        FirstPage first = joinAndLook(seat("citra"), "n.c", known).first();
        assertThat(users(first.page())).containsExactly("adi", "budi", "citra");
        assertThat(first.page())
                .isEqualTo(get(stores().rooms().listFirst(ROOM, 100, null)).page());
        Roster everybody = Objects.requireNonNull(first.everybody());
        assertThat(everybody.revision()).isEqualTo(page().revision());

        // Joining again changes nothing, with another name only that.
        assertThat(users(joinAndLook(seat("citra"), "n.c2", everybody).first().page()))
                .containsExactly("adi", "budi", "citra");
        JoinOutcome renamed = get(stores().seats()
                .join(seat("budi"), holder("n.budi", 9), named("Budi!"), new SeatStore.Look(100, everybody)));
        View view = ((JoinOutcome.Joined) renamed).view().orElseThrow();
        assertThat(view.first().page().participants())
                .extracting(Participant::username)
                .containsExactly("adi", "Budi!", "citra");
    }

    @Test
    void aJoinListsNobodyWhoseKeyIsGone() {
        Roster known = roster("adi", "budi");
        losePresence(SEAT);
        FirstPage first = joinAndLook(seat("citra"), "n.c", known).first();
        assertThat(users(first.page())).containsExactly("budi", "citra");
        assertThat(Objects.requireNonNull(first.everybody()).participants()).hasSize(2);
    }

    @Test
    void aJoinOfAUserWhoseKeyIsGoneListsThemOnce() {
        Roster known = roster("adi", "budi");
        losePresence(SEAT);
        advance(SECOND);
        FirstPage first = joinAndLook(SEAT, "n.a2", known).first();
        assertThat(users(first.page())).containsExactly("budi", "adi");
    }

    @Test
    void aJoinTellsWhenTheNextGracePeriodEnds() {
        join("n.a", 1);
        disconnect("n.a", 2);
        View view = joinAndLook(seat("budi"), "n.b", Roster.UNKNOWN);
        assertThat(view.nextExpiry().orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
    }

    @Test
    void aJoinToALargeRoomListsItsFirstPageOnly() {
        List<CompletionStage<JoinOutcome>> joins = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            joins.add(stores().seats().join(seat("u" + i), holder("n.s" + i, 1), named("x")));
        }
        joins.forEach(this::get);
        advance(SECOND);
        JoinOutcome outcome =
                get(stores().seats().join(SEAT, holder("n.a", 1), named("x"), new SeatStore.Look(100, null)));
        FirstPage first = ((JoinOutcome.Joined) outcome).view().orElseThrow().first();
        assertThat(first.page().participants()).hasSize(100);
        assertThat(first.page().next()).isNotNull();
        assertThat(first.everybody()).isNull();
    }

    @Test
    void everyChangeOfASmallRoomCountsTheLive() {
        join("n.a", 1);
        join(seat("budi"), "n.b", 1);
        losePresence(seat("budi"));
        join(seat("citra"), "n.c", 1);
        joinAndLook(seat("dewi"), "n.d", Roster.UNKNOWN);
        leave("n.a", 2);
        assertThat(heardCounts()).containsExactly("1 alive", "2 alive", "2 alive", "3 alive", "2 alive");
    }

    @Test
    void aChangeOfALargerRoomCountsItsHints() {
        List<CompletionStage<JoinOutcome>> joins = new ArrayList<>();
        for (int i = 0; i < 102; i++) {
            joins.add(stores().seats().join(seat("u" + i), holder("n.s" + i, 1), named("x")));
        }
        joins.forEach(this::get);
        losePresence(seat("u0"));
        get(stores().seats().remove(seat("u1"), LeaveReason.LEFT, null));
        get(stores().seats().remove(seat("u2"), LeaveReason.LEFT, null));
        assertThat(heardCounts()).endsWith("100 alive", "101 hinted", "102 hinted", "101 hinted", "99 alive");
    }

    @Test
    void aPageSaysWhetherItSkippedTheDead() {
        Roster known = roster("adi", "budi", "citra");
        assertThat(get(stores().rooms().list(ROOM, known.participants().get(0).position(), 5))
                        .skipped())
                .isFalse();
        losePresence(seat("citra"));
        Page rest = get(stores().rooms().list(ROOM, known.participants().get(0).position(), 5));
        assertThat(users(rest)).containsExactly("budi");
        assertThat(rest.skipped()).isTrue();
    }

    private View joinAndLook(Seat seat, String socket, Roster known) {
        SeatStore.Look look = new SeatStore.Look(100, known);
        JoinOutcome outcome = get(stores().seats().join(seat, holder(socket, 1), named(seat.user()), look));
        return ((JoinOutcome.Joined) outcome).view().orElseThrow();
    }

    // Settings and directory

    @Test
    void theRoomsOwnSettingsAreReadAndUsed() {
        assertThat(get(stores().settings().read(ROOM))).isEqualTo(RoomSettings.NONE);
        RoomSettings own = new RoomSettings(SHORT_TTL, "gone", 5);
        get(stores().settings().write(ROOM, own));
        assertThat(get(stores().settings().read(ROOM))).isEqualTo(own);
        assertThat(join("n.a", 1).ttl()).isEqualTo(SHORT_TTL);
        assertLeft(SHORT_TTL);
        Checked checked = get(stores().rooms().check(ROOM, List.of(claim("adi", "n.a", 1))));
        assertThat(checked.rules().ttl()).isEqualTo(SHORT_TTL);
        assertThat(checked.rules().inactivityMessage()).isEqualTo("gone");
        get(stores().settings().write(ROOM, RoomSettings.NONE));
        assertThat(get(stores().settings().read(ROOM))).isEqualTo(RoomSettings.NONE);
    }

    @Test
    void theDirectoryListsRoomsByTheirIds() {
        RoomDirectory directory = stores().directory();
        RoomId a = new RoomId("a");
        RoomId b = new RoomId("b");
        RoomId c = new RoomId("c");
        assertThat(get(directory.after(null, 10))).isEmpty();
        get(directory.add(List.of(c, a)));
        get(directory.add(List.of(b, a)));
        assertThat(get(directory.after(null, 10))).containsExactly(a, b, c);
        assertThat(get(directory.after(null, 2))).containsExactly(a, b);
        assertThat(get(directory.after(a, 10))).containsExactly(b, c);
        get(directory.remove(List.of(b)));
        assertThat(get(directory.after(a, 10))).containsExactly(c);
        assertThat(get(directory.count())).isEqualTo(2);
        assertThat(get(directory.missing(List.of(a, b, c)))).isEqualTo(Set.of(b));
        assertThat(get(directory.missing(List.of()))).isEmpty();
    }

    // The feed

    @Test
    void onlySubscribedRoomsAreHeard() {
        RoomId other = new RoomId("other");
        join(new Seat(other, ADI), "n.a", 1);
        join("n.a", 2);
        assertThat(heard()).containsExactly("joined adi");
        assertThat(get(stores().seats().sweep(SEAT, LeaveReason.LEFT, List.of(new SocketId("n.b")))))
                .isFalse();
        assertThat(heard()).isEmpty();
    }

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
        assertThat(heard()).containsExactly("joined adi {\"a\":1}", "expiring 15", "updated adi");
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
                .containsExactly(
                        "joined adi " + data, "updated adi away " + data, "updated adi " + data, "expiring 15");
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
        get(stores().rooms().expireGraces(ROOM));
        assertThat(users()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "updated adi away", "expiring 1800", "left adi disconnected");
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
        get(stores().rooms().expireGraces(ROOM));
        assertThat(heard()).containsExactly("joined adi", "updated adi away", "expiring 15", "left adi disconnected");
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
                .containsExactly("joined adi", "updated adi away", "expiring 1800", "updated adi", "expiring 15");
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
                        "expiring 1800",
                        "updated adi",
                        "expiring 1800",
                        "updated adi away");
    }

    @Test
    void aPauseThatNeverArrivedIsMadeUpForWhenTheSocketFallsSilent() {
        join("n.a", 1);
        suspend("n.a", 2);
        assertThat(isAway()).isTrue();
        assertLeft(AWAY);
        assertThat(heard()).containsExactly("joined adi", "expiring 1800", "updated adi away");
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
        assertThat(sweepNode("n", null).removed()).isEqualTo(1);
        assertThat(isAway()).isTrue();
        assertLeft(AWAY);
        assertThat(heard())
                .containsExactlyInAnyOrder(
                        "joined adi", "updated adi away", "joined budi", "expiring 1800", "left budi server_gone");
        sweepNode("n", now().plus(GRACE));
        assertThat(sweep("n.a")).isFalse();
        assertLeft(AWAY);
        assertThat(heard()).isEmpty();
    }

    @Test
    void theDeathOfTheNodeOfAllSocketsLeavesAUserAwayIfOneWasPaused() {
        join("n.a", 1);
        join("n.b", 1);
        pause("n.a");
        assertThat(sweepNode("n", null).removed()).isZero();
        assertThat(isAway()).isTrue();
        assertLeft(AWAY);
        assertThat(heard()).containsExactly("joined adi", "expiring 1800", "updated adi away");
    }

    @Test
    void aPausedSocketThatLeftIsSweptAway() {
        join("n.a", 1);
        pause("n.a");
        assertThat(get(stores().seats().sweep(SEAT, LeaveReason.LEFT, Set.of(new SocketId("n.a")))))
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

    private boolean right(Claim claim) {
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
