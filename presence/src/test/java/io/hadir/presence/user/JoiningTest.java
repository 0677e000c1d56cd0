package io.hadir.presence.user;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.Clients;
import io.hadir.presence.UserListener;
import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.UserUpdate.SocketState;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of a user's record when one of their sockets joins a room. */
class JoiningTest {
    private static final UserId ADI = new UserId("adi");
    private static final SocketId SOCKET = new SocketId("n.a");
    private static final Seat SEAT = new Seat(new RoomId("r"), ADI);
    private static final Seat OTHER = new Seat(new RoomId("other"), ADI);
    private static final Duration TICKS = Duration.ofSeconds(3);

    private final TestLoop loop = new TestLoop();
    private final List<UserUpdate> updates = new ArrayList<>();
    private Users users;

    @BeforeEach
    void connect() {
        users = new Users(
                fake(UserStore.class), fake(Clients.class), loop, UserSettings.of(Duration.ofSeconds(15), 20));
        users.attach(new UserListener.Sockets() {
            @Override
            public void disconnect(SocketId socket, String message) {}

            @Override
            public Collection<RoomId> rooms(SocketId socket) {
                return List.of();
            }
        });
        users.start();
        users.connect(SOCKET, ADI, null);
        loop.run();
        updates.clear();
    }

    private <T> T fake(Class<T> type) {
        return Objects.requireNonNull(type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> switch (method.getName()) {
                    case "isAvailable" -> true;
                    case "update" -> {
                        updates.add((UserUpdate) given[0]);
                        yield CompletableFuture.completedFuture(Optional.of(recorded(1)));
                    }
                    case "renew" -> CompletableFuture.completedFuture(Map.of(ADI, UserStore.Renewed.RENEWED));
                    default -> null;
                })));
    }

    private static UserUpdate.Outcome recorded(long since) {
        return new UserUpdate.Outcome(true, List.of(since), Map.of(), Instant.EPOCH);
    }

    private UserListener.Joining joining(Seat seat) {
        return users.joining(SOCKET, seat, true);
    }

    private static SocketState state(UserUpdate update) {
        return update.sockets().get(0);
    }

    @Test
    void theUpdateOfAJoinSaysWhichRoomTheSocketFocusesThen() {
        UserListener.Joining joining = joining(SEAT);
        SocketState asked = state(Objects.requireNonNull(joining.update()));
        assertThat(asked.room()).isEqualTo(SEAT.room());
        assertThat(asked.rooms()).containsExactly(SEAT.room());
        joining.joined(CompletableFuture.completedFuture(recorded(7)));
        loop.advance(TICKS);
        assertThat(updates).isEmpty();
    }

    @Test
    void anUpdateThatFailsIsRepeatedWithTheFocus() {
        joining(SEAT).joined(CompletableFuture.failedFuture(new IllegalStateException()));
        loop.advance(TICKS);
        assertThat(updates)
                .singleElement()
                .satisfies(update -> assertThat(state(update).room()).isEqualTo(SEAT.room()));
    }

    @Test
    void aJoinWithoutAnAnswerLeavesTheFocusAsItWasAndTheStoreIsTold() {
        joining(OTHER).joined(CompletableFuture.completedFuture(recorded(7)));
        UserListener.Joining unanswered = joining(SEAT);
        long turn = state(Objects.requireNonNull(unanswered.update())).turn();
        unanswered.unknown();
        loop.advance(TICKS);
        assertThat(updates).singleElement().satisfies(update -> {
            assertThat(state(update).room()).isEqualTo(OTHER.room());
            assertThat(state(update).turn()).isGreaterThanOrEqualTo(turn);
        });
    }

    @Test
    void aRefusedJoinChangesNothing() {
        joining(SEAT);
        loop.advance(TICKS);
        assertThat(updates).isEmpty();
        users.focus(SOCKET, OTHER.room());
        assertThat(updates).hasSize(1);
    }

    @Test
    void whatTheSocketFocusesWhileItsJoinIsUnderWayWins() {
        UserListener.Joining joining = joining(SEAT);
        long turn = state(Objects.requireNonNull(joining.update())).turn();
        users.focus(SOCKET, OTHER.room());
        joining.joined(CompletableFuture.completedFuture(recorded(7)));
        loop.run();
        assertThat(state(updates.get(0)).turn()).isGreaterThan(turn);
        users.blur(SOCKET, SEAT.room());
        users.blur(SOCKET, OTHER.room());
        assertThat(updates).hasSize(2);
    }
}
