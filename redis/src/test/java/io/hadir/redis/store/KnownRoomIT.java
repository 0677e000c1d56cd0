package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Lists of a room whose roster is known: names are not read again, but every listed user is alive. */
class KnownRoomIT extends OnStore {
    private static final RoomId ROOM = new RoomId("r");

    private Roster known;

    @BeforeEach
    void fillTheRoom() {
        List.of("adi", "budi", "citra").forEach(this::join);
        known = Objects.requireNonNull(look(Roster.UNKNOWN).everybody());
        assertThat(names(look(known))).containsExactly("adi!", "budi!", "citra!");
        assertThat(known.revision()).isGreaterThan(0);
    }

    @Test
    void namesAndJoinTimesComeFromTheRoster() {
        redis.cli().del("room:r:user:adi", "room:r:user:budi", "room:r:user:citra");
        FirstPage again = look(known);
        assertThat(names(again)).containsExactly("adi!", "budi!", "citra!");
        assertThat(again.page().participants())
                .extracting(Participant::joinedAt)
                .containsExactlyElementsOf(
                        known.participants().stream().map(Participant::joinedAt).toList());
        assertThat(again.page().revision()).isEqualTo(known.revision());
        // And from nowhere else.
        assertThat(names(look(Roster.UNKNOWN))).containsExactly("adi", "budi", "citra");
    }

    /** Redis may have lost its last changes; others then have the same numbers. */
    @Test
    void aUserWhoJoinedWithAReusedRevisionIsListed() {
        redis.cli().del("room:presence:r:citra", "room:r:user:citra");
        redis.cli().zrem("hadir:room:r:index", "citra");
        redis.cli().decr("hadir:room:r:revision");
        join("dewi");
        FirstPage again = look(known);
        assertThat(again.page().revision()).isEqualTo(known.revision());
        assertThat(users(again)).containsExactly("adi", "budi", "dewi");
    }

    @Test
    void aRoomThatRedisLostIsEmptyWhateverTheRosterSays() {
        redis.cli().flushall();
        assertThat(users(look(known))).isEmpty();
    }

    @Test
    void lastActiveFollowsFromTheRemainingTtl() {
        redis.cli()
                .pexpire(
                        "room:presence:r:adi", TTL.minus(Duration.ofMinutes(10)).toMillis());
        // Nobody has been active before joining.
        assertThat(active(look(known), "adi"))
                .isEqualTo(known.participants().get(0).joinedAt());
        Instant before = Instant.now().minusSeconds(2);
        redis.cli().pexpire("room:presence:r:adi", TTL.toMillis());
        assertThat(active(look(known), "adi")).isAfter(before);
    }

    private static Instant active(FirstPage page, String user) {
        return page.page().participants().stream()
                .filter(participant -> participant.user().value().equals(user))
                .findFirst()
                .orElseThrow()
                .lastActiveAt();
    }

    private FirstPage look(Roster roster) {
        return get(rooms.listFirst(ROOM, 100, roster));
    }

    private static List<String> names(FirstPage page) {
        return page.page().participants().stream().map(Participant::username).toList();
    }

    private static List<String> users(FirstPage page) {
        return page.page().participants().stream()
                .map(participant -> participant.user().value())
                .toList();
    }

    private void join(String user) {
        get(seats.join(SeatStore.Join.of(
                seat(user),
                holder(user, 1),
                Profile.named(Username.parse(user + "!").toOptional().orElseThrow()))));
    }

    private static Seat seat(String user) {
        return new Seat(ROOM, new UserId(user));
    }

    private static Holder holder(String user, long turn) {
        return new Holder(new SocketId("n." + user), turn);
    }
}
