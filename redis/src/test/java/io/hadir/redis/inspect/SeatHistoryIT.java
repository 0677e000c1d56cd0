package io.hadir.redis.inspect;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.inspect.SeatRecord;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.redis.store.OnStore;
import io.hadir.redis.store.RoomScripts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The history of a seat, as the scripts record it. */
class SeatHistoryIT extends OnStore {
    private static final Seat SEAT = new Seat(new RoomId("r"), new UserId("adi"));
    private static final String HISTORY = "hadir:room:r:history:adi";

    private RedisSeatRecords records;

    @BeforeEach
    void records() {
        records = new RedisSeatRecords(new RoomScripts(link, "n", SETTINGS));
    }

    @Test
    void aJoinAndHeartbeatsAddNothingToTheHistoryYetTheJoinIsKnown() {
        join("n.a", 1);
        get(seats.heartbeat(SEAT, Duration.ofMinutes(1)));
        join("n.a", 2);
        assertThat(redis.cli().exists(HISTORY)).isZero();
        assertThat(history()).containsExactly("joined n.a n");
    }

    @Test
    void everyTransitionIsRecordedInOrder() {
        join("n.a", 1);
        join("m.b", 1);
        get(seats.disconnect(SEAT, holder("m.b", 2), false));
        get(seats.disconnect(SEAT, holder("n.a", 3), false));
        get(seats.restore(SEAT, holder("n.c", 1), null));
        get(seats.disconnect(SEAT, holder("n.c", 2), false));
        join("n.d", 1);
        assertThat(redis.cli().ttl(HISTORY)).isBetween(86_000L, 86_400L);
        get(seats.leave(SEAT, holder("n.d", 2), RemovalReason.LEFT, false));
        assertThat(history())
                .containsExactly(
                        "joined n.a n",
                        "moved m.b n",
                        "moved n.a n",
                        "grace n.a n",
                        "restored n.c n",
                        "grace n.c n",
                        "rejoined n.d n",
                        "left n.d n left");
        assertThat(redis.cli().ttl(HISTORY)).as("after a short stay").isBetween(30L, 900L);
        assertThat(get(records.read(SEAT)).history())
                .allSatisfy(change -> assertThat(Math.abs(
                                Duration.between(change.at(), Instant.now()).toSeconds()))
                        .isLessThan(60));
    }

    @Test
    void aRemovalIsRecordedWithItsReasonAndActor() {
        join("gone.a", 1);
        get(seats.sweep(SEAT, RemovalReason.SERVER_GONE, List.of(new SocketId("gone.a"))));
        assertThat(history()).containsExactly("joined gone.a gone", "left gone.a n server_gone");
        join("n.b", 1);
        get(seats.kick(SEAT, "bye"));
        assertThat(history()).last().isEqualTo("left n.b n kicked");
        join("n.c", 1);
        redis.cli().del("room:presence:r:adi");
        assertThat(history()).hasSize(5).last().isEqualTo("joined n.c n");
        SeatRecord unnoticed = get(records.read(SEAT));
        assertThat(unnoticed.presence()).isNull();
        assertThat(unnoticed.listed()).isTrue();
        get(rooms.announceExpired(SEAT.room(), List.of(SEAT.user()), null));
        assertThat(history()).last().isEqualTo("left n.c n presence_lost");
        assertThat(get(records.read(SEAT)).listed()).isFalse();
    }

    @Test
    void removingAUserTwiceIsRecordedOnce() {
        join("n.a", 1);
        get(seats.leave(SEAT, holder("n.a", 2), RemovalReason.LEFT, false));
        get(seats.leave(SEAT, holder("n.a", 2), RemovalReason.LEFT, false));
        get(seats.kick(SEAT, null));
        assertThat(history()).containsExactly("joined n.a n", "left n.a n left");
    }

    @Test
    void theLastTwentyAreKept() {
        for (int turn = 1; turn <= 60; turn += 2) {
            join("n.a", turn);
            get(seats.disconnect(SEAT, holder("n.a", turn + 1), false));
        }
        assertThat(redis.cli().strlen(HISTORY)).isBetween(900L, 1000L);
        assertThat(history()).hasSize(20).last().isEqualTo("grace n.a n");
    }

    @Test
    void detailsThatWereLostMakeNoSecondJoin() {
        join("n.a", 1);
        join("n.b", 1);
        redis.cli().del("room:r:user:adi");
        get(seats.disconnect(SEAT, holder("n.b", 2), false));
        assertThat(history()).containsExactly("joined n.a n", "moved n.b n", "grace n.b n");
    }

    @Test
    void foreignValuesDoNotPreventALeave() {
        redis.cli().lpush(HISTORY, "spoilt");
        join("n.a", 1);
        assertThat(history()).containsExactly("joined n.a n");
        redis.cli().del("room:r:user:adi");
        redis.cli().lpush("room:r:user:adi", "spoilt");
        get(seats.kick(SEAT, null));
        assertThat(redis.cli().exists("room:presence:r:adi")).isZero();

        assertThat(history()).containsExactly("left null n kicked");

        redis.cli().set(HISTORY, "\n x\n12 sang n n.a\nx joined n n.a\n" + "9".repeat(30) + " left n\n12 left");
        assertThat(history()).isEmpty();
    }

    @Test
    void aPresenceWrittenByAnotherProgramIsListedAsItIs() {
        redis.cli().set("room:presence:r:adi", "who knows");
        SeatRecord record = get(records.read(SEAT));
        SeatRecord.LivePresence presence = Objects.requireNonNull(record.presence());
        assertThat(presence.expiresAt()).isNull();
        assertThat(presence.named()).isEqualTo(new SocketId("who knows"));
        assertThat(record.listed()).isFalse();
        assertThat(record.history()).isEmpty();
    }

    private List<String> history() {
        return get(records.read(SEAT)).history().stream()
                .map(change -> change.kind().wire() + " " + change.socket() + " " + change.node()
                        + (change.reason() == null ? "" : " " + change.reason().wire()))
                .toList();
    }

    private void join(String socket, long turn) {
        get(seats.join(SeatStore.Join.of(SEAT, holder(socket, turn), Profile.named(Username.of(SEAT.user())))));
    }

    private static Holder holder(String socket, long turn) {
        return new Holder(new SocketId(socket), turn);
    }
}
