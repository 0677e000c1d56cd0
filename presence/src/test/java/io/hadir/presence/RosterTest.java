package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Participant;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RosterTest {
    private static final Roster ROSTER = new Roster(10, List.of(participant("adi", 1), participant("citra", 3)));

    @Test
    void whoComesIsOnItInTheOrderOfJoining() {
        assertThat(users(ROSTER.after(joined(11, "budi", 4)))).containsExactly("adi", "citra", "budi");
        assertThat(users(ROSTER.after(joined(11, "budi", 2)))).containsExactly("adi", "budi", "citra");
        assertThat(users(ROSTER.after(joined(11, "budi", 3)))).containsExactly("adi", "budi", "citra");
        assertThat(users(ROSTER.after(joined(11, "dewi", 3)))).containsExactly("adi", "citra", "dewi");
    }

    @Test
    void whoComesAgainIsOnItOnce() {
        assertThat(users(ROSTER.after(joined(11, "adi", 5)))).containsExactly("citra", "adi");
    }

    @Test
    void whoLeavesIsNotOnItAnyMore() {
        Roster left = ROSTER.after(left(11, "adi"));
        assertThat(users(left)).containsExactly("citra");
        assertThat(left.revision()).isEqualTo(11);
        assertThat(users(left.after(left(12, "nobody")))).containsExactly("citra");
    }

    @Test
    void whatItHasAlreadyChangesNothing() {
        assertThat(ROSTER.after(left(10, "adi"))).isSameAs(ROSTER);
        assertThat(ROSTER.after(joined(9, "budi", 2))).isSameAs(ROSTER);
    }

    @Test
    void nothingIsKnownOnceAChangeWasMissed() {
        assertThat(ROSTER.after(left(12, "adi"))).isEqualTo(Roster.UNKNOWN);
        assertThat(Roster.UNKNOWN.after(joined(1_700_000_000_000L, "adi", 1))).isEqualTo(Roster.UNKNOWN);
    }

    @Test
    void aRoomThatGrowsTooLargeIsNotKnownAnyMore() {
        Roster full = new Roster(
                1,
                IntStream.range(0, Roster.MOST)
                        .mapToObj(i -> participant("u" + i, i))
                        .toList());
        assertThat(full.after(joined(2, "one-more", 1000))).isEqualTo(Roster.UNKNOWN);
        assertThat(users(full.after(left(2, "u0")))).hasSize(Roster.MOST - 1);
    }

    @Test
    void whoTakesAnotherNameHasItInTheSamePlace() {
        Instant at = Instant.ofEpochMilli(1);
        Participant renamed = new Participant(new UserId("adi"), "Adi!", at, at);
        Roster updated = ROSTER.after(new RoomChange.Updated(11, renamed));
        assertThat(updated.participants()).containsExactly(renamed, participant("citra", 3));
        assertThat(updated.revision()).isEqualTo(11);
    }

    @Test
    void aRoomKeepsWhatIsNewer() {
        LocalRoom room = roomThatKnows(ROSTER);
        room.hear(left(11, "adi"));
        room.remember(ROSTER);
        assertThat(room.roster()).isEqualTo(ROSTER.after(left(11, "adi")));
    }

    private static LocalRoom roomThatKnows(Roster roster) {
        LocalRoom room = new LocalRoom(new RoomId("r"), new RoomRules(Duration.ofHours(1), null));
        assertThat(room.roster()).isEqualTo(Roster.UNKNOWN);
        room.remember(roster);
        return room;
    }

    private static Participant participant(String user, long joinedAt) {
        Instant at = Instant.ofEpochMilli(joinedAt);
        return new Participant(new UserId(user), user, at, at);
    }

    private static RoomChange joined(long revision, String user, long joinedAt) {
        return new RoomChange.Joined(revision, participant(user, joinedAt));
    }

    private static RoomChange left(long revision, String user) {
        return new RoomChange.Left(revision, new UserId(user), RemovalReason.LEFT, null);
    }

    private static List<String> users(Roster roster) {
        return roster.participants().stream()
                .map(participant -> participant.user().value())
                .toList();
    }
}
