package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.UserUpdate.SocketState;
import io.hadir.presence.room.Username;
import io.hadir.presence.user.UserSettings;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A join and the update of its user, which are one step unless rooms and users are in different slots. */
class JoinAndUpdateIT extends OnStore {
    private static final RoomId ROOM = new RoomId("ruang tamu");
    private static final UserId ADI = new UserId("adi");
    private static final Seat SEAT = new Seat(ROOM, ADI);
    private static final SocketId SOCKET = new SocketId("n.a");
    private static final String UNREAD = "room:ruang%20tamu:unread:adi";
    private static final String END = "the-end";

    @Test
    void aJoinAndTheUpdateOfItsUserAreOneCommand() throws IOException {
        admit();
        join(); // Redis learns the script.
        redis.cli().set(UNREAD, "3");
        try (Monitor monitor = new Monitor(redis)) {
            JoinOutcome.Joined joined = (JoinOutcome.Joined) join();
            redis.cli().echo(END);
            assertThat(monitor.until(END).stream().filter(line -> !line.contains("lua]")))
                    .filteredOn(line -> line.contains("adi"))
                    .singleElement()
                    .asString()
                    .contains("\"EVALSHA\"");
            assertThat(get(joined.user()).leads()).isTrue();
            assertThat(get(joined.user()).since()).singleElement().isNotEqualTo(0L);
        }
        assertThat(redis.cli().get("user:adi:active_room")).isEqualTo("ruang tamu");
        assertThat(redis.cli().get(UNREAD)).isEqualTo("0");
        assertThat(redis.cli().hget("hadir:user:adi", "n.a")).endsWith(" ruang%20tamu");
    }

    @Test
    void aUserWithSeveralSocketsIsUpdatedInTheSameStep() {
        admit();
        get(users().update(new UserUpdate(ADI, List.of(state("m.b", 1, null)), List.of(), 0, Map.of())));
        JoinOutcome.Joined joined = (JoinOutcome.Joined) join();
        assertThat(get(joined.user()).since()).hasSize(1);
        assertThat(redis.cli().get("user:adi:active_room")).isEqualTo("ruang tamu");
    }

    @Test
    void aRefusedJoinUpdatesNothing() {
        admit();
        redis.cli().set(UNREAD, "3");
        redis.cli().set("hadir:room:ruang%20tamu:bans:adi", "out");
        redis.cli().pexpire("hadir:room:ruang%20tamu:bans:adi", 60_000);
        assertThat(join()).isInstanceOf(JoinOutcome.Banned.class);
        assertThat(redis.cli().get(UNREAD)).isEqualTo("3");
        assertThat(redis.cli().exists("user:adi:active_room")).isZero();
        assertThat(redis.cli().hget("hadir:user:adi", "n.a")).doesNotContain("ruang");
    }

    @Test
    void aJoinStandsEvenIfTheUpdateFails() {
        admit();
        redis.cli().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.HSET));
        try {
            JoinOutcome.Joined joined = (JoinOutcome.Joined) join();
            assertThat(joined.user().toCompletableFuture()).isCompletedExceptionally();
            assertThat(redis.cli().get("room:presence:ruang%20tamu:adi")).isEqualTo("n.a");
        } finally {
            redis.cli().aclSetuser("default", AclSetuserArgs.Builder.addCommand(CommandType.HSET));
        }
    }

    private void admit() {
        get(users().update(new UserUpdate(ADI, List.of(state("n.a", 1, null)), List.of(), 20, Map.of())));
    }

    private JoinOutcome join() {
        UserUpdate update = new UserUpdate(ADI, List.of(state("n.a", 2, ROOM)), List.of(), 0, Map.of());
        Profile profile = Profile.named(Username.of(ADI));
        return get(seats.join(new SeatStore.Join(SEAT, new Holder(SOCKET, 1), profile, 0, null, update)));
    }

    private UserScripts users() {
        return new UserScripts(link, UserSettings.of(SETTINGS.grace(), 20));
    }

    private static SocketState state(String socket, long turn, @Nullable RoomId room) {
        return new SocketState(new SocketId(socket), turn, true, false, room, 0, List.of(), null, null);
    }
}
