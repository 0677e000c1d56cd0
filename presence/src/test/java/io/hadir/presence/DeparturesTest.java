package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What Redis has not heard of waits, but never so much of it that the server suffers. */
class DeparturesTest {
    private static final int MOST = 3;
    private static final SocketId ONE = new SocketId("n.one");
    private static final SocketId OTHER = new SocketId("n.other");

    private final Queue<Runnable> timers = new ArrayDeque<>();
    private final List<String> steps = new ArrayList<>();
    private boolean away = true;
    private Departures departures;

    private final Loop loop = new Loop() {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public Timer after(Duration delay, Runnable task) {
            timers.add(task);
            return () -> timers.remove(task);
        }

        @Override
        public long nanos() {
            return 0;
        }
    };

    @BeforeEach
    void begin() {
        departures = new Departures(store(), loop, MOST);
    }

    @ParameterizedTest
    @EnumSource
    void noKindIsAddedWhenTooManyWait(Departures.Kind kind) {
        for (int i = 0; i < MOST; i++) {
            assertThat(departures.isFull()).isFalse();
            assertThat(add(kind, ONE, "r" + i, 1)).isTrue();
        }

        assertThat(departures.isFull()).isTrue();
        assertThat(add(kind, OTHER, "r", 1)).isFalse();
        assertThat(departures.size()).isEqualTo(MOST);
        assertThat(departures.isWaiting(OTHER, seat("r"))).isFalse();
    }

    @Test
    void aLaterDepartureFromASeatTakesThePlaceOfTheOneThatWaits() {
        for (int i = 0; i < MOST; i++) {
            add(Departures.Kind.UNDO, ONE, "r" + i, 1);
        }

        assertThat(add(Departures.Kind.DISCONNECT, ONE, "r0", 2)).isTrue();
        assertThat(departures.size()).isEqualTo(MOST);
        assertThat(departures.of(ONE)).isEqualTo(MOST);
    }

    @Test
    void thoseOfEachSocketAreCountedUntilRedisHasHeardOfThem() {
        add(Departures.Kind.LEAVE, ONE, "r0", 1);
        add(Departures.Kind.LEAVE, ONE, "r1", 2);
        add(Departures.Kind.LEAVE, OTHER, "r0", 1);
        assertThat(departures.of(ONE)).isEqualTo(2);
        assertThat(departures.of(OTHER)).isEqualTo(1);

        departures.forget(seat("r0"), new Holder(OTHER, 2));
        assertThat(departures.of(OTHER)).isZero();
        runTimers();
        assertThat(departures.of(ONE)).isEqualTo(2);

        away = false;
        runTimers();
        assertThat(departures.of(ONE)).isZero();
        assertThat(departures.size()).isZero();
    }

    @Test
    void aLeaveEverywhereIsNotReplacedByADepartureOfItsSocketAlone() {
        add(Departures.Kind.LEAVE_EVERYWHERE, ONE, "r", 1);
        add(Departures.Kind.UNDO, ONE, "r", 2);
        away = false;
        runTimers();
        assertThat(steps).containsExactly("leaveEverywhere", "undo");
    }

    private boolean add(Departures.Kind kind, SocketId socket, String room, long turn) {
        return departures.add(departure(kind, socket, room, turn));
    }

    private static Departures.Departure departure(Departures.Kind kind, SocketId socket, String room, long turn) {
        return new Departures.Departure(kind, seat(room), new Holder(socket, turn), true);
    }

    private static Seat seat(String room) {
        return new Seat(new RoomId(room), new UserId("adi"));
    }

    private void runTimers() {
        for (int due = timers.size(); due > 0; due--) {
            timers.remove().run();
        }
    }

    private SeatStore store() {
        Class<SeatStore> type = SeatStore.class;
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> {
                    if (method.getName().equals("isAvailable")) {
                        return !away;
                    }
                    steps.add(method.getName());
                    return away
                            ? CompletableFuture.failedFuture(new IllegalStateException("away"))
                            : CompletableFuture.completedFuture(null);
                }));
    }
}
