package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** However much there is to check, only a little of it is under way, so that clients do not wait behind it. */
class RoomChecksTest {
    private static final int MOST_SEATS = 600;

    private final Deque<Check> underWay = new ArrayDeque<>();
    private final List<Integer> checked = new ArrayList<>();
    private LocalRooms rooms;
    private RoomChecks checks;
    private int opened;

    private record Check(int seats, CompletableFuture<RoomStore.Checked> answer) {}

    /** Runs everything at once, and timers never. */
    private static final Loop LOOP = new Loop() {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public Timer after(Duration delay, Runnable task) {
            return () -> {};
        }

        @Override
        public long nanos() {
            return 0;
        }
    };

    @BeforeEach
    void wire() {
        PresenceSettings settings = new PresenceSettings(
                Duration.ofHours(6),
                Duration.ofSeconds(25),
                Duration.ofSeconds(15),
                Duration.ofSeconds(30),
                Duration.ofSeconds(15),
                null,
                1000,
                50);
        Stores stores = new Stores(
                fake(SeatStore.class), fake(RoomStore.class), fake(RoomDirectory.class), fake(RoomSettingsStore.class));
        rooms = new LocalRooms(
                stores,
                fake(RoomFeed.class),
                fake(Clients.class),
                new SharedQuery<>(stores.rooms()::count, LOOP),
                LOOP,
                settings);
        Memberships memberships = new Memberships(
                stores.rooms(),
                rooms,
                fake(Clients.class),
                LOOP,
                InstantSource.system(),
                settings,
                fake(UserListener.class));
        checks = new RoomChecks(stores.rooms(), rooms, memberships, LOOP);
    }

    @Test
    void theSeatsOfALargeRoomAreCheckedStepByStep() {
        CompletableFuture<Void> done = checks.check(room("large", 10_000)).toCompletableFuture();

        answerAll();
        assertThat(done).isCompleted();
        assertThat(checked.stream().mapToInt(Integer::intValue).sum()).isEqualTo(10_000);
    }

    @Test
    void manyRoomsAreCheckedAFewAtATime() {
        for (int i = 0; i < 1_000; i++) {
            checks.check(room("small" + i, 2));
        }
        for (int i = 0; i < 10; i++) {
            checks.check(room("large" + i, 1_000));
        }

        answerAll();
        assertThat(checked.stream().mapToInt(Integer::intValue).sum()).isEqualTo(12_000);
    }

    @Test
    void aRoomThatWaitsForItsCheckIsCheckedOnceForAllWhoAsk() {
        checks.check(room("large", 10_000));
        checks.check(room("other", 10_000));
        LocalRoom waiting = room("waiting", 1);
        CompletableFuture<Void> first = checks.check(waiting).toCompletableFuture();
        CompletableFuture<Void> second = checks.check(waiting).toCompletableFuture();

        answerAll();
        assertThat(first).isCompleted();
        assertThat(second).isCompleted();
        assertThat(checked.stream().filter(seats -> seats == 1)).hasSize(1);
    }

    private void answerAll() {
        while (!underWay.isEmpty()) {
            assertThat(underWay.stream().mapToInt(Check::seats).sum()).isLessThanOrEqualTo(MOST_SEATS);
            assertThat(underWay).hasSizeLessThanOrEqualTo(MOST_SEATS / 10);
            Check check = underWay.removeFirst();
            checked.add(check.seats);
            check.answer.complete(new RoomStore.Checked(
                    new RoomRules(Duration.ofHours(6), null),
                    1,
                    Optional.empty(),
                    Collections.nCopies(check.seats, true)));
        }
    }

    private LocalRoom room(String name, int seats) {
        LocalRoom room = new LocalRoom(new RoomId(name), new RoomRules(Duration.ofHours(6), null));
        for (int i = 0; i < seats; i++) {
            LocalSocket socket = new LocalSocket(
                    new SocketId("n.s" + ++opened), null, any -> true, 100, new StepQueue(LOOP, new Answers(LOOP)));
            Membership membership = new Membership(socket, new Seat(room.id, new UserId("u" + opened)));
            membership.adopt(0);
            socket.memberships.put(membership.seat, membership);
            room.add(membership);
        }
        return room;
    }

    /** Keeps the store's checks until they are answered; whatever else is asked never is. */
    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    if (method.getName().equals("check")) {
                        Check check = new Check(((List<?>) given[1]).size(), new CompletableFuture<>());
                        underWay.add(check);
                        return check.answer;
                    }
                    return method.getReturnType() == void.class ? null : new CompletableFuture<>();
                }));
    }
}
