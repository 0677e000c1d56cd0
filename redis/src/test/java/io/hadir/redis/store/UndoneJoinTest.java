package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Undoing a join that failed for the client although Redis carried it out: it leaves no trace for others. */
class UndoneJoinTest extends OnStore {
    private static final Seat SEAT = new Seat(new RoomId("123"), new UserId("45"));
    private static final String KEY = "room:presence:123:45";

    @Test
    void undoingTheJoinOfANewUserLeavesNothing() {
        join("n.a", 1);
        get(seats.undo(SEAT, holder("n.a", 1)));

        assertThat(redis.cli().keys("room:*")).isEmpty();
    }

    @Test
    void g6_undoingAJoinReturnsTheUserToTheirGracePeriod() {
        join("n.old", 1);
        get(seats.disconnect(SEAT, holder("n.old", 2), false));
        long revision = join("m.new", 1);
        get(seats.undo(SEAT, holder("m.new", 1)));

        assertThat(redis.cli().get(KEY)).isEqualTo("n.old");
        assertThat(redis.cli().pttl(KEY)).isBetween(1L, GRACE.toMillis());
        assertThat(redis.cli().zscore("hadir:room:123:lapses", "45")).isPositive();
        assertThat(redis.cli().get("hadir:room:123:revision")).isEqualTo(Long.toString(revision));
        assertThat(join("m.new", 2)).isEqualTo(revision);
    }

    @Test
    void aGraceThatIsOverDoesNotComeBack() {
        join("n.old", 1);
        get(seats.disconnect(SEAT, holder("n.old", 2), false));
        join("m.new", 1);
        String details = redis.cli().get("room:123:user:45").replaceFirst("\"beforeUntil\":\\d+", "\"beforeUntil\":1");
        redis.cli().set("room:123:user:45", details);
        get(seats.undo(SEAT, holder("m.new", 1)));

        assertThat(redis.cli().exists(KEY)).isZero();
    }

    @Test
    void aUserWhoReturnsAndThenLeavesIsRemovedAtOnce() {
        join("n.old", 1);
        get(seats.disconnect(SEAT, holder("n.old", 2), false));
        join("m.new", 1);
        get(seats.leave(SEAT, holder("m.new", 2), LeaveReason.LEFT, true));

        assertThat(redis.cli().exists(KEY)).isZero();
    }

    @Test
    void g6_aUserWhoDisconnectsDuringAnUndoneJoinHasAGracePeriod() {
        join("n.old", 1);
        join("m.new", 1);
        get(seats.disconnect(SEAT, holder("n.old", 2), false));
        get(seats.undo(SEAT, holder("m.new", 1)));

        assertThat(redis.cli().get(KEY)).isEqualTo("n.old");
        assertThat(redis.cli().pttl(KEY)).isBetween(1L, GRACE.toMillis());
    }

    @Test
    void aUserWhoDisconnectsBesideADeadSocketHasAGracePeriod() {
        join("dead.a", 1);
        join("n.b", 1);
        get(seats.disconnect(SEAT, holder("n.b", 2), false));
        get(seats.sweep(SEAT, LeaveReason.SERVER_GONE, Set.of(new SocketId("dead.a"))));

        assertThat(redis.cli().get(KEY)).isEqualTo("n.b");
        assertThat(redis.cli().pttl(KEY)).isBetween(1L, GRACE.toMillis());
    }

    @Test
    void aUserWhoLeavesBesideADeadSocketIsRemoved() {
        join("dead.a", 1);
        join("n.b", 1);
        join("n.c", 1);
        get(seats.disconnect(SEAT, holder("n.b", 2), false));
        get(seats.leave(SEAT, holder("n.c", 2), LeaveReason.LEFT, false));
        get(seats.sweep(SEAT, LeaveReason.SERVER_GONE, Set.of(new SocketId("dead.a"))));

        assertThat(redis.cli().exists(KEY)).isZero();
    }

    @Test
    void anotherSocketKeepsTheSeat() {
        join("n.a", 1);
        join("m.b", 1);
        get(seats.undo(SEAT, holder("m.b", 1)));

        assertThat(redis.cli().get(KEY)).isEqualTo("n.a");
        assertThat(redis.cli().pttl(KEY)).isGreaterThan(GRACE.toMillis());
    }

    private long join(String socket, long turn) {
        JoinOutcome outcome = get(seats.join(SEAT, holder(socket, turn), Profile.named(Username.of(SEAT.user()))));
        assertThat(outcome).isInstanceOf(JoinOutcome.Joined.class);
        return ((JoinOutcome.Joined) outcome).revision();
    }

    private static Holder holder(String socket, long turn) {
        return new Holder(new SocketId(socket), turn);
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
