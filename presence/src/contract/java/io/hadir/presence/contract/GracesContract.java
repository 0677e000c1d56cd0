package io.hadir.presence.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.NodeRooms;
import io.hadir.presence.SeatStore;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.SocketId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What becomes of a seat whose sockets are gone: grace periods, undone joins, dead sockets and dead nodes. */
abstract class GracesContract extends SeatsContract {
    // Grace periods

    @Test
    void aDisconnectLeavesOnlyTheGracePeriod() {
        join("n.a", 1);
        disconnect("n.a", 2);
        assertLeft(GRACE);
        assertThat(users()).containsExactly("adi");
        assertThat(get(stores().rooms().expireLapses(ROOM)).orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
        assertThat(heard()).containsExactly("joined adi", "lapsing 15");
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
        assertThat(get(stores().rooms().expireLapses(ROOM))).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "lapsing 15");
    }

    @Test
    void anExpiredGracePeriodIsAnnouncedOnceAsDisconnected() {
        long revision = join("n.a", 1).revision();
        disconnect("n.a", 2);
        advance(GRACE.plus(SECOND));
        assertThat(users()).isEmpty();
        assertThat(get(stores().rooms().expireLapses(ROOM))).isEmpty();
        assertThat(get(stores().rooms().expireLapses(ROOM))).isEmpty();
        assertThat(page().revision()).isEqualTo(revision + 1);
        assertThat(heard()).containsExactly("joined adi", "lapsing 15", "left adi disconnected");
    }

    @Test
    void g4_aUserWithAHeartbeatInTheGracePeriodIsNotAnnounced() {
        join("n.a", 1);
        disconnect("n.a", 2);
        heartbeat();
        advance(GRACE.plus(SECOND));
        assertThat(get(stores().rooms().expireLapses(ROOM))).isEmpty();
        assertThat(users()).containsExactly("adi");
        assertThat(heard()).containsExactly("joined adi", "lapsing 15");
    }

    @Test
    void aRestoreLastsTwoHeartbeatIntervalsAndAHeartbeatTheWholeTtl() {
        join("n.a", 1);
        disconnect("n.a", 2);
        assertThat(restore("m.b", 1)).isTrue();
        assertThat(named()).isEqualTo("m.b");
        assertLeft(HEARTBEAT.multipliedBy(2));
        assertThat(heard()).containsExactly("joined adi", "lapsing 15", "lapsing 50");
        heartbeat();
        assertLeft(TTL);
    }

    @Test
    void aRestoreWithoutAHeartbeatExpiresAsDisconnected() {
        join("n.a", 1);
        disconnect("n.a", 2);
        restore("m.b", 1);
        advance(HEARTBEAT.multipliedBy(2).plus(SECOND));
        get(stores().rooms().expireLapses(ROOM));
        assertThat(users()).isEmpty();
        assertThat(heard()).endsWith("left adi disconnected");
    }

    @Test
    void aRestoreDoesNotPutBackTheTurnOfALaterJoin() {
        join("n.a", 5);
        assertThat(restore("n.a", 3)).isFalse();
        leave("n.a", 4);
        assertThat(users()).containsExactly("adi");
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
        assertThat(get(stores().seats().rememberedRooms(ADI)).keySet())
                .containsExactlyInAnyOrder(ROOM, new RoomId("s"));
        advance(GRACE.multipliedBy(2));
        assertThat(get(stores().seats().rememberedRooms(ADI))).isEmpty();
    }

    @Test
    void aSeatThatAnotherTabHoldsIsRestoredDuringTheGracePeriodOnly() {
        join("n.a", 1);
        join("n.b", 1);
        get(stores().seats().rememberRooms(ADI, List.of(ROOM)));
        disconnect("n.a", 2);
        assertThat(restoreInTime("m.a")).isTrue();
        advance(GRACE.plus(SECOND));
        assertThat(restoreInTime("m.c")).isFalse();
        assertThat(get(stores().seats().hasSocket(SEAT, new SocketId("m.c")))).isFalse();
        assertThat(restore("m.d", 1)).as("a socket that moved").isTrue();
    }

    private boolean restoreInTime(String socket) {
        Instant until = get(stores().seats().rememberedRooms(ADI)).get(ROOM);
        return get(stores().seats().restore(SEAT, holder(socket, 1), until)).isPresent();
    }

    @Test
    void aDisconnectInAnotherRoomDoesNotProlongTheTimeOfARestore() {
        get(stores().seats().rememberRooms(ADI, List.of(ROOM)));
        advance(GRACE.dividedBy(2));
        get(stores().seats().rememberRooms(ADI, List.of(new RoomId("s"))));
        Instant until = get(stores().seats().rememberedRooms(ADI)).get(ROOM);
        assertThat(until).isBefore(now().plus(GRACE.dividedBy(2)).plus(SECOND));
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
        assertThat(get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 1), named(ADI)))))
                .isInstanceOf(JoinOutcome.Superseded.class);
    }

    @Test
    void g4_undoingAJoinReturnsTheUserToTheirGracePeriod() {
        join("n.old", 1);
        disconnect("n.old", 2);
        advance(Duration.ofSeconds(5));
        long revision = join("m.new", 1).revision();
        undo("m.new", 1);
        assertThat(named()).isEqualTo("n.old");
        assertLeft(Duration.ofSeconds(10));
        assertThat(get(stores().rooms().expireLapses(ROOM))).isPresent();
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
        get(stores().seats().leave(SEAT, holder("m.new", 2), RemovalReason.LEFT, true));
        assertThat(users()).isEmpty();
    }

    @Test
    void g4_aUserWhoDisconnectsDuringAnUndoneJoinHasAGracePeriod() {
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
        get(stores().rooms().expireLapses(ROOM));
        assertThat(heard()).containsExactly("joined adi", "lapsing 15", "lapsing 10", "left adi disconnected");
    }

    @Test
    void g4_theSweepReturnsASeatWithALateHeartbeatToItsGracePeriod() {
        long revision = join("n.a", 1).revision();
        disconnect("n.a", 2);
        heartbeat();
        assertLeft(TTL);
        assertThat(sweep("n.a")).isFalse();
        assertLeft(GRACE);
        assertThat(get(stores().rooms().expireLapses(ROOM))).isPresent();
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
    void aSeatOfADeadNodeIsSweptEvenIfItsPresenceEndsWithinAGracePeriod() {
        join("n.a", 1);
        advance(TTL.minus(GRACE).plus(SECOND));
        get(stores().seats().cleanUp(ROOM, "n", null));
        assertThat(users()).isEmpty();
        assertThat(heard()).containsExactly("joined adi", "left adi server_gone");
    }

    @Test
    void theSeatsOfADeadNodeAreSweptAndNoOthers() {
        join("dead.a", 1);
        join(seat("budi"), "dead.b", 1);
        join(seat("citra"), "n.c", 1);
        join(seat("dewi"), "dead.d", 1);
        join(seat("dewi"), "n.d", 1);
        join(seat("eka"), "deader.e", 1);
        SeatStore.CleanedUp cleaned = cleanUp("dead", null);
        assertThat(cleaned.removed()).isEqualTo(2);
        assertThat(cleaned.inGrace()).isEmpty();
        assertThat(users()).containsExactlyInAnyOrder("citra", "dewi", "eka");
        assertThat(heard())
                .contains("left adi server_gone", "left budi server_gone")
                .hasSize(7);
        assertThat(cleanUp("dead", null).removed()).isZero();
        assertThat(heard()).isEmpty();
    }

    @Test
    void aSeatPassesFromADeadNodeToTheUsersOtherSocket() {
        join("n.b", 1);
        join("dead.a", 1);
        assertThat(named()).isEqualTo("dead.a");
        assertThat(cleanUp("dead", null).removed()).isZero();
        assertThat(named()).isEqualTo("n.b");
        assertLeft(TTL);
        leave("n.b", 2);
        assertThat(users()).isEmpty();
    }

    @Test
    void theSweepOfANodeLeavesGracePeriodsAlone() {
        join("dead.a", 1);
        disconnect("dead.a", 2);
        assertThat(cleanUp("dead", null).removed()).isZero();
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
        SeatStore.CleanedUp cleaned = cleanUp("dead", now().plusSeconds(9));
        assertThat(cleaned.removed()).isZero();
        assertThat(cleaned.inGrace()).containsExactly(ADI);
        assertLeft(Duration.ofSeconds(9));
        assertIdle(Duration.ofSeconds(20));
        assertThat(get(stores().seats().keeper(SEAT))).isEqualTo(SeatStore.Keeper.NOTHING);
        assertThat(cleanUp("dead", now().plusSeconds(9)).inGrace()).isEmpty();
        assertThat(heard()).containsExactly("lapsing 10");
        advance(Duration.ofSeconds(10));
        get(stores().rooms().expireLapses(ROOM));
        assertThat(heard()).containsExactly("left adi disconnected");
    }

    @Test
    void aUserOfACertainlyDeadNodeWhoReturnsInTimeIsNotSeenToLeave() {
        long revision = join("dead.a", 1).revision();
        cleanUp("dead", now().plusSeconds(9));
        assertThat(join("n.b", 1).revision()).isEqualTo(revision);
        advance(Duration.ofSeconds(20));
        get(stores().rooms().expireLapses(ROOM));
        assertThat(users()).containsExactly("adi");
        assertThat(heard()).containsExactly("joined adi", "lapsing 10");
    }

    @Test
    void aGracePeriodOfADeadNodeThatIsOverRemovesTheUser() {
        join("dead.a", 1);
        assertThat(cleanUp("dead", now().minusSeconds(1)).removed()).isEqualTo(1);
        assertThat(users()).isEmpty();
    }

    @Test
    void theGracePeriodOfADeadNodeIsNeverLongerThanAnyOther() {
        join("dead.a", 1);
        cleanUp("dead", now().plusSeconds(3600));
        assertLeft(GRACE);
    }

    @Test
    void theSeatsOfADeadNodeAreFoundInALargeRoom() {
        List<CompletionStage<JoinOutcome>> joins = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            String node = i % 3 == 0 ? "dead" : "n";
            joins.add(stores().seats().join(SeatStore.Join.of(seat("u" + i), holder(node + ".s" + i, 1), named("x"))));
        }
        joins.forEach(this::get);
        assertThat(cleanUp("dead", null).removed()).isEqualTo(400);
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
}
