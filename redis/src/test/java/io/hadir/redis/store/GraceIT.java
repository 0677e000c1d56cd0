package io.hadir.redis.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The end of a grace is one moment, wherever it is kept. */
class GraceIT extends OnStore {
    private static final RoomId ROOM = new RoomId("r");
    private static final String LAPSES = "hadir:room:r:lapses";
    private static final Pattern GRACE_UNTIL = Pattern.compile("\"graceUntil\":(\\d+)");
    /** So many that one of them sees the clock go on inside of a script. */
    private static final int MANY = 300;

    @Test
    void g4_aDisconnectSetsOneEnd() {
        for (int i = 0; i < MANY; i++) {
            disconnected("u" + i);
            assertOneEnd("u" + i);
        }
    }

    @Test
    void g4_aRestoreSetsOneEnd() {
        for (int i = 0; i < MANY; i++) {
            Seat seat = disconnected("u" + i);
            assertThat(get(seats.restore(seat, holder("m.b", 1), null))).isPresent();
            assertOneEnd("u" + i);
        }
    }

    @Test
    void g4_aResumedGracePeriodEndsWhenItWouldHave() {
        for (int i = 0; i < MANY; i++) {
            Seat seat = disconnected("u" + i);
            long end = redis.cli().pexpiretime(key("u" + i));
            get(seats.join(SeatStore.Join.of(seat, holder("dead.b", 1), Profile.named(Username.of(seat.user())))));
            get(seats.sweep(seat, RemovalReason.SERVER_GONE, Set.of(new SocketId("dead.b"))));
            assertOneEnd("u" + i);
            assertThat(redis.cli().pexpiretime(key("u" + i))).isEqualTo(end);
        }
    }

    @Test
    void aPresenceWithoutAnEndGetsOneWithItsNextSocket() {
        Seat seat = joined("adi", "n.a");
        get(seats.join(SeatStore.Join.of(seat, holder("m.b", 1), Profile.named(Username.of(seat.user())))));
        redis.cli().persist(key("adi"));

        get(seats.leave(seat, holder("m.b", 2), RemovalReason.LEFT, false));

        assertThat(redis.cli().get(key("adi"))).isEqualTo("n.a");
        assertThat(redis.cli().pttl(key("adi"))).isBetween(TTL.toMillis() - 60_000, TTL.toMillis());
    }

    private void assertOneEnd(String user) {
        Matcher until = GRACE_UNTIL.matcher(redis.cli().get("room:r:user:" + user));
        assertThat(until.find()).isTrue();
        long end = redis.cli().pexpiretime(key(user));
        assertThat(List.of(
                        Long.parseLong(until.group(1)),
                        redis.cli().zscore(LAPSES, user).longValue()))
                .containsOnly(end);
    }

    private Seat disconnected(String user) {
        Seat seat = joined(user, "n.a");
        get(seats.disconnect(seat, holder("n.a", 2), false));
        return seat;
    }

    private Seat joined(String user, String socket) {
        Seat seat = new Seat(ROOM, new UserId(user));
        get(seats.join(SeatStore.Join.of(seat, holder(socket, 1), Profile.named(Username.of(seat.user())))));
        return seat;
    }

    private static String key(String user) {
        return "room:presence:r:" + user;
    }

    private static Holder holder(String socket, long turn) {
        return new Holder(new SocketId(socket), turn);
    }

    private static <T> T get(CompletionStage<T> stage) {
        return stage.toCompletableFuture().orTimeout(10, TimeUnit.SECONDS).join();
    }
}
