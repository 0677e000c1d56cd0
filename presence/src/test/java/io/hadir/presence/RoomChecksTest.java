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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
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

    /** A check, or a comparison of several rooms. */
    private record Check(
            int seats,
            CompletableFuture<RoomStore.Checked> answer,
            @Nullable Map<RoomStore.Claims, CompletableFuture<RoomStore.Compared>> compared) {}

    private long now;
    private int compared;
    private @Nullable RoomId wrong;
    private @Nullable RoomId away;

    /** Runs everything at once, and timers never. */
    private final Loop loop = new Loop() {
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
            return now;
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
                1000,
                50);
        Stores stores = new Stores(
                fake(SeatStore.class),
                fake(RoomStore.class),
                fake(RoomDirectory.class),
                fake(RoomSettingsStore.class),
                fake(NodeRooms.class));
        rooms = new LocalRooms(
                stores,
                fake(RoomFeed.class),
                new RoomRecord("n", stores.nodeRooms(), new Departures(stores.seats(), loop, 1), loop),
                fake(Clients.class),
                new SharedQuery<>(stores.rooms()::count, RoomStore.Headcount::alive, loop),
                loop,
                settings);
        Memberships memberships = new Memberships(
                stores.rooms(),
                rooms,
                fake(Clients.class),
                loop,
                InstantSource.system(),
                settings,
                fake(UserListener.class));
        checks = new RoomChecks(stores.rooms(), rooms, memberships, loop);
    }

    @Test
    void theSeatsOfALargeRoomAreCheckedStepByStep() {
        CompletableFuture<Void> done = checks.check(room("large", 10_000)).toCompletableFuture();

        answerAll();
        assertThat(done).isCompleted();
        assertThat(checked.stream().mapToInt(Integer::intValue).sum()).isEqualTo(10_000);
    }

    @Test
    void aSocketThatWentWhileItsRoomIsCheckedIsNotClaimed() {
        LocalRoom room = room("large", 500);
        List<Membership> seats = List.copyOf(room.all());
        checks.check(room);
        assertThat(underWay)
                .singleElement()
                .satisfies(check -> assertThat(check.seats).isEqualTo(200));
        for (int i : List.of(250, 251, 450)) {
            seats.get(i).socket.memberships.clear();
        }
        // It has begun to leave.
        seats.get(300).socket.queue.run(CompletableFuture::new);

        answerAll();
        assertThat(checked).containsExactly(200, 197, 99);
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

    @Test
    void roomsThatAreRightAreOnlyCompared() {
        List<LocalRoom> all = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            all.add(joined("small" + i, 2));
        }
        all.add(joined("large", 10_000));

        assertThat(compare(all)).isTrue();
        assertThat(compared).isEqualTo(12_000);
        assertThat(checked).isEmpty();
    }

    @Test
    void aRoomThatDiffersIsChecked() {
        List<LocalRoom> all = List.of(joined("right", 3), joined("wrong", 5), joined("large", 1_000));
        wrong = new RoomId("wrong");

        assertThat(compare(all)).isTrue();
        assertThat(checked).containsExactly(5);
    }

    @Test
    void aComparisonThatFailsDoesNotStopTheOthers() {
        List<LocalRoom> all = List.of(joined("a", 200), joined("gone", 200), joined("b", 200));
        away = new RoomId("gone");

        assertThat(compare(all)).isFalse();
        assertThat(compared).isEqualTo(600);
    }

    @Test
    void everyRoomIsRenewedWithinHalfAnHourAndNotAllOfThemTogether() {
        List<LocalRoom> all = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            all.add(joined("room" + i, 1));
        }
        int most = 0;
        for (int minute = 0; minute <= 31; minute++) {
            int before = checked.size();
            assertThat(compare(all)).isTrue();
            most = Math.max(most, checked.size() - before);
            now += Duration.ofMinutes(1).toNanos();
        }
        assertThat(checked).hasSize(100);
        assertThat(most).isLessThan(50);
    }

    private boolean compare(List<LocalRoom> all) {
        CompletableFuture<Boolean> done = checks.compare(all, shared -> {}).toCompletableFuture();
        answerAll();
        return done.join();
    }

    /** A room in which this node has sockets. */
    private LocalRoom joined(String name, int seats) {
        LocalRoom room = room(name, seats);
        room.all().forEach(rooms::add);
        return Objects.requireNonNull(rooms.get(room.id));
    }

    private void answerAll() {
        while (!underWay.isEmpty()) {
            assertThat(underWay.stream().mapToInt(Check::seats).sum()).isLessThanOrEqualTo(MOST_SEATS);
            assertThat(underWay).hasSizeLessThanOrEqualTo(MOST_SEATS / 10);
            if (underWay.getFirst().compared != null) {
                answer(underWay.removeFirst());
                continue;
            }
            Check check = underWay.removeFirst();
            checked.add(check.seats);
            check.answer.complete(new RoomStore.Checked(
                    new RoomRules(Duration.ofHours(6), null),
                    1,
                    Optional.empty(),
                    Collections.nCopies(check.seats, true)));
        }
    }

    private void answer(Check check) {
        compared += check.seats;
        Objects.requireNonNull(check.compared).forEach((claims, answer) -> {
            if (claims.room().equals(away)) {
                answer.completeExceptionally(new IllegalStateException());
            } else {
                answer.complete(new RoomStore.Compared(
                        new RoomRules(Duration.ofHours(6), null),
                        1,
                        Optional.empty(),
                        !claims.room().equals(wrong),
                        List.of()));
            }
        });
    }

    private LocalRoom room(String name, int seats) {
        LocalRoom room = new LocalRoom(new RoomId(name), new RoomRules(Duration.ofHours(6), null));
        for (int i = 0; i < seats; i++) {
            LocalSocket socket = new LocalSocket(
                    new SocketId("n.s" + ++opened),
                    null,
                    any -> true,
                    100,
                    new StepQueue(loop, new Answers(loop), () -> {}));
            Membership membership = new Membership(socket, new Seat(room.id, new UserId("u" + opened)));
            membership.adopt(0);
            socket.memberships.put(membership.seat, membership);
            room.add(membership);
        }
        return room;
    }

    private List<CompletableFuture<RoomStore.Compared>> compared(List<?> asked) {
        Map<RoomStore.Claims, CompletableFuture<RoomStore.Compared>> answers = new LinkedHashMap<>();
        asked.forEach(claims -> answers.put((RoomStore.Claims) claims, new CompletableFuture<>()));
        int seats = answers.keySet().stream()
                .mapToInt(claims -> claims.seats().size())
                .sum();
        underWay.add(new Check(seats, new CompletableFuture<>(), answers));
        return List.copyOf(answers.values());
    }

    /** Keeps the store's checks until they are answered; whatever else is asked never is. */
    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    if (method.getName().equals("check")) {
                        Check check = new Check(((List<?>) given[1]).size(), new CompletableFuture<>(), null);
                        underWay.add(check);
                        return check.answer;
                    }
                    if (method.getName().equals("compare")) {
                        return compared((List<?>) given[0]);
                    }
                    return method.getReturnType() == void.class ? null : new CompletableFuture<>();
                }));
    }
}
