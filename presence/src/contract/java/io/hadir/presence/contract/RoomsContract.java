package io.hadir.presence.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.RoomDirectory;
import io.hadir.presence.RoomStore.Checked;
import io.hadir.presence.RoomStore.Claim;
import io.hadir.presence.RoomStore.Claims;
import io.hadir.presence.RoomStore.Compared;
import io.hadir.presence.RoomStore.Headcount;
import io.hadir.presence.SeatStore;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.JoinOutcome.View;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What ends unseen, and what is checked, listed, counted and set in a room. */
abstract class RoomsContract extends GracesContract {
    static final Duration SHORT_TTL = Duration.ofMinutes(1);

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
                        "lapsing 15",
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
        List<UserId> both = List.of(ADI, new UserId("budi"));
        get(stores().rooms().announceExpired(ROOM, both, RemovalReason.INACTIVITY_TIMEOUT));
        get(stores().rooms().announceExpired(ROOM, both, RemovalReason.INACTIVITY_TIMEOUT));
        assertThat(users()).containsExactly("budi");
        assertThat(page().revision()).isEqualTo(revision + 2);
        assertThat(heard()).containsExactly("joined adi", "joined budi", "left adi inactivity_timeout");
    }

    @Test
    void aGracePeriodThatEndedUnseenIsADisconnectWhateverTheNodeSays() {
        join("n.a", 1);
        disconnect("n.a", 2);
        advance(GRACE.plus(SECOND));
        get(stores().rooms().announceExpired(ROOM, List.of(ADI), RemovalReason.INACTIVITY_TIMEOUT));
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
        assertThat(checked.nextLapse()).isEmpty();
        losePresence(SEAT);
        assertThat(get(stores().rooms().check(ROOM, List.of(claim("adi", "n.a", 1))))
                        .alive())
                .containsExactly(false);
    }

    @Test
    void aCheckRestoresLostDetailsAndAnnouncesTheName() {
        get(stores().seats().join(SeatStore.Join.of(SEAT, holder("n.a", 1), named("Adi!"))));
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
        assertThat(checked.nextLapse()).isEmpty();
        assertLeft(TTL);
        assertThat(get(stores().seats().keeper(SEAT))).isEqualTo(SeatStore.Keeper.SOCKET);
    }

    @Test
    void aCheckNamesASocketThatIsThereInThePresence() {
        join("n.a", 1);
        disconnect("n.a", 2);
        get(stores().rooms().check(ROOM, List.of(claim("adi", "m.b", 1))));
        assertThat(compare(claim("adi", "m.b", 1)).right()).isTrue();
        get(stores().seats().sweep(SEAT, RemovalReason.SERVER_GONE, List.of(new SocketId("n.a"))));
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
        assertThat(compared.nextLapse()).isEmpty();
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
        assertThat(compared.nextLapse().orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
    }

    @Test
    void manyRoomsAreComparedAtOnce() {
        join("n.a", 1);
        RoomId other = new RoomId("other");
        RoomId empty = new RoomId("empty");
        get(stores().seats()
                .join(SeatStore.Join.of(new Seat(other, new UserId("budi")), holder("n.b", 1), named("Budi"))));
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

    Compared compare(Claim... claims) {
        return get(stores().rooms()
                .compare(List.of(new Claims(ROOM, List.of(claims))))
                .get(0));
    }

    @Test
    void aSeatIsHeldByTheSocketsOfItsDetailsOnly() {
        join("n.a", 1);
        assertThat(get(stores().seats().hasSocket(SEAT, new SocketId("n.a")))).isTrue();
        assertThat(get(stores().seats().hasSocket(SEAT, new SocketId("n.b")))).isFalse();
        disconnect("n.a", 2);
        assertThat(get(stores().seats().hasSocket(SEAT, new SocketId("n.a")))).isFalse();
        join("n.a", 3);
        loseDetails(SEAT);
        assertThat(get(stores().seats().hasSocket(SEAT, new SocketId("n.a")))).isFalse();
    }

    @Test
    void aCheckReturnsTheNextEndOfAGracePeriod() {
        join("n.a", 1);
        join(seat("budi"), "n.b", 1);
        disconnect("n.a", 2);
        assertThat(get(stores().rooms().check(ROOM, List.of(claim("budi", "n.b", 1))))
                        .nextLapse()
                        .orElseThrow())
                .isBetween(GRACE.minus(slack()), GRACE);
    }

    @Test
    void aRevisionIsRaisedAboveOneThatWasToldAndNotTwice() {
        long told = join("n.a", 1).revision() + 1000;
        long raised = get(stores().rooms().raise(ROOM, told));
        assertThat(get(stores().rooms().raise(ROOM, told))).isEqualTo(raised);
        assertThat(page().revision()).isEqualTo(raised).isGreaterThan(told);
        assertThat(heard()).containsExactly("joined adi", "raised");
        assertThat(heardRevisions()).endsWith(page().revision());
    }

    // Lists and counts

    @Test
    void pagesOfALargeRoomAreInOrderAndMissNoStayingUser() {
        List<CompletionStage<JoinOutcome>> joins = new ArrayList<>();
        for (int i = 0; i < 1200; i++) {
            joins.add(stores().seats().join(SeatStore.Join.of(seat("u" + i), holder("n.s" + i, 1), named("x"))));
        }
        joins.forEach(this::get);
        assertThat(get(stores().rooms().count(ROOM)).alive()).isEqualTo(1200);
        Page page = get(stores().rooms().list(ROOM, null, 500));
        List<Participant> found = new ArrayList<>(page.participants());
        // Two users leave between the pages: one of the first page, and the one after whom the next page begins.
        get(stores().seats().leaveEverywhere(seat(found.get(10).user().value()), holder("n.w", 9)));
        get(stores().seats().leaveEverywhere(seat(found.get(499).user().value()), holder("n.x", 9)));
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

    Roster roster(String... users) {
        for (String user : users) {
            join(seat(user), "n." + user, 1);
        }
        FirstPage page = get(stores().rooms().listFirst(ROOM, 100, Roster.UNKNOWN));
        return Objects.requireNonNull(page.everybody());
    }

    /** The times of the last activity may differ by a millisecond, because they follow from what is left of a TTL. */
    private void assertSameAsListed(Page page) {
        assertThat(page)
                .usingRecursiveComparison()
                .ignoringFields("participants.lastActiveAt")
                .isEqualTo(get(stores().rooms().listFirst(ROOM, 100, null)).page());
    }

    @Test
    void aJoinListsTheRoomInTheSameStep() {
        join(seat("budi"), "n.b", 1);
        advance(SECOND);
        View view = joinAndLook(SEAT, "n.a", Roster.UNKNOWN);
        assertThat(users(view.first().page())).containsExactly("budi", "adi");
        assertSameAsListed(view.first().page());
        assertThat(view.nextLapse()).isEmpty();
        assertThat(join(seat("citra"), "n.c", 1).view()).isEmpty();
    }

    @Test
    void aJoinToAKnownRoomListsTheNewcomerToo() {
        Roster known = roster("adi", "budi");
        FirstPage first = joinAndLook(seat("citra"), "n.c", known).first();
        assertThat(users(first.page())).containsExactly("adi", "budi", "citra");
        assertSameAsListed(first.page());
        Roster everybody = Objects.requireNonNull(first.everybody());
        assertThat(everybody.revision()).isEqualTo(page().revision());

        // Joining again changes nothing, with another name only that.
        assertThat(users(joinAndLook(seat("citra"), "n.c2", everybody).first().page()))
                .containsExactly("adi", "budi", "citra");
        JoinOutcome renamed = get(stores().seats()
                .join(new SeatStore.Join(
                        seat("budi"),
                        holder("n.budi", 9),
                        named("Budi!"),
                        0,
                        new SeatStore.ListRequest(100, everybody),
                        null)));
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
        assertThat(view.nextLapse().orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
    }

    @Test
    void aJoinToAKnownRoomTellsWhenTheNextGracePeriodEnds() {
        Roster known = roster("adi", "budi");
        disconnect("n.adi", 2);
        View view = joinAndLook(seat("citra"), "n.c", known);
        assertThat(view.nextLapse().orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
        Roster everybody = Objects.requireNonNull(view.first().everybody());

        View again = joinAndLook(seat("budi"), "n.b2", everybody);
        assertThat(again.nextLapse().orElseThrow()).isBetween(GRACE.minus(slack()), GRACE);
    }

    @Test
    void aJoinToALargeRoomListsItsFirstPageOnly() {
        List<CompletionStage<JoinOutcome>> joins = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            joins.add(stores().seats().join(SeatStore.Join.of(seat("u" + i), holder("n.s" + i, 1), named("x"))));
        }
        joins.forEach(this::get);
        advance(SECOND);
        JoinOutcome outcome = get(stores().seats()
                .join(new SeatStore.Join(
                        SEAT, holder("n.a", 1), named("x"), 0, new SeatStore.ListRequest(100, null), null)));
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
            joins.add(stores().seats().join(SeatStore.Join.of(seat("u" + i), holder("n.s" + i, 1), named("x"))));
        }
        joins.forEach(this::get);
        losePresence(seat("u0"));
        get(stores().seats().leaveEverywhere(seat("u1"), holder("n.x", 9)));
        get(stores().seats().leaveEverywhere(seat("u2"), holder("n.y", 9)));
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

    View joinAndLook(Seat seat, String socket, Roster known) {
        SeatStore.ListRequest list = new SeatStore.ListRequest(100, known);
        JoinOutcome outcome = get(
                stores().seats().join(new SeatStore.Join(seat, holder(socket, 1), named(seat.user()), 0, list, null)));
        return ((JoinOutcome.Joined) outcome).view().orElseThrow();
    }

    // Settings and directory

    @Test
    void theRoomsOwnSettingsAreReadAndUsed() {
        assertThat(get(stores().settings().read(ROOM))).isEqualTo(RoomSettings.NONE);
        RoomSettings own = new RoomSettings(SHORT_TTL, "gone", 5);
        get(stores().settings().write(ROOM, own));
        assertThat(get(stores().settings().read(ROOM))).isEqualTo(own);
        RoomRules rules = new RoomRules(SHORT_TTL, "gone");
        assertThat(join("n.a", 1).rules()).isEqualTo(rules);
        assertLeft(SHORT_TTL);
        disconnect("n.a", 2);
        Optional<JoinOutcome.Joined> restored = get(stores().seats().restore(SEAT, holder("n.b", 1), null));
        assertThat(restored.orElseThrow().rules()).isEqualTo(rules);
        join("n.a", 3);
        leave("n.b", 2);
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
        assertThat(get(stores().seats().sweep(SEAT, RemovalReason.LEFT, List.of(new SocketId("n.b")))))
                .isFalse();
        assertThat(heard()).isEmpty();
    }
}
