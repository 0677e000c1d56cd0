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

/** A heartbeat that stood in a frozen link reaches Redis when its socket, or the last one, has gone. */
class LateHeartbeatTest extends OnStore {
    private static final Seat SEAT = new Seat(new RoomId("123"), new UserId("45"));
    private static final String KEY = "room:presence:123:45";
    private static final String DETAILS = "room:123:user:45";

    @Test
    void g4_theSweepReturnsTheSeatToItsGracePeriodAndRemovesNoUserBefore() {
        long revision = disconnected();
        get(seats.heartbeat(SEAT, TTL));
        assertThat(redis.cli().pttl(KEY)).isGreaterThan(GRACE.toMillis());

        get(seats.sweep(SEAT, LeaveReason.DISCONNECTED, Set.of(new SocketId("n.a"))));

        assertThat(redis.cli().pttl(KEY)).isBetween(1L, GRACE.toMillis());
        assertThat(redis.cli().zscore("hadir:room:123:lapses", "45")).isPositive();
        assertThat(join("n.b", 1)).as("nobody sees the user come back").isEqualTo(revision);
    }

    @Test
    void g4_theSweepRemovesTheUserAfterTheGracePeriod() {
        disconnected();
        get(seats.heartbeat(SEAT, TTL));
        redis.cli().set(DETAILS, redis.cli().get(DETAILS).replaceFirst("\"graceUntil\":\\d+", "\"graceUntil\":1"));

        get(seats.sweep(SEAT, LeaveReason.DISCONNECTED, Set.of(new SocketId("n.a"))));

        assertThat(redis.cli().exists(KEY)).isZero();
    }

    @Test
    void g4_aDeadSocketGetsNoOldGracePeriod() {
        disconnected();
        join("dead.b", 1);
        String details = redis.cli().get(DETAILS);
        // As a restore leaves it, which gives the seat a short life until the first heartbeat.
        redis.cli().set(DETAILS, details.replaceFirst("\"beforeUntil\":(\\d+)", "\"beforeUntil\":1,\"graceUntil\":$1"));
        get(seats.heartbeat(SEAT, TTL));

        get(seats.sweep(SEAT, LeaveReason.SERVER_GONE, Set.of(new SocketId("dead.b"))));

        assertThat(redis.cli().exists(KEY)).isZero();
    }

    /** A user in the grace; the revision that the room has then. */
    private long disconnected() {
        long revision = join("n.a", 1);
        get(seats.disconnect(SEAT, new Holder(new SocketId("n.a"), 2), false));
        return revision;
    }

    private long join(String socket, long turn) {
        JoinOutcome outcome =
                get(seats.join(SEAT, new Holder(new SocketId(socket), turn), Profile.named(Username.of(SEAT.user()))));
        assertThat(outcome).isInstanceOf(JoinOutcome.Joined.class);
        return ((JoinOutcome.Joined) outcome).revision();
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
