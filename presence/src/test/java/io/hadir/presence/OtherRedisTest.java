package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Another Redis process may have older data, in which the revisions that were told stand for other changes. Nobody may
 * go by a change that it tells before they have listed the room again.
 */
class OtherRedisTest {
    private static final RoomId ROOM = new RoomId("r");
    private static final long TOLD = 10;

    private final Deque<Runnable> timers = new ArrayDeque<>();
    private final List<RoomNews> news = new ArrayList<>();
    private final List<Long> raised = new ArrayList<>();
    private final CompletableFuture<Long> raising = new CompletableFuture<>();
    private LocalRooms rooms;
    private LocalRoom room;

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
    void tellOneChange() {
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
        LocalSocket socket = new LocalSocket(
                new SocketId("n.s"), null, any -> true, 100, new StepQueue(loop, new Answers(loop), () -> {}));
        Membership membership = new Membership(socket, new Seat(ROOM, new UserId("adi")));
        rooms.add(membership);
        room = rooms.all().get(0);
        change(TOLD);
        assertThat(news).singleElement().matches(told -> !told.truncated());
        news.clear();
    }

    @Test
    void f53_aChangeThatItTellsBeforeRevisionsAreCompared() {
        rooms.resumed(ROOM, true);
        change(TOLD + 1);

        assertThat(news).singleElement().matches(RoomNews::truncated);
    }

    @Test
    void f53_aChangeThatIsUnderWayWhileRevisionsAreCompared() {
        rooms.resumed(ROOM, true);
        rooms.compare(room, TOLD, TOLD + 1);
        change(TOLD + 1);

        assertThat(news).singleElement().matches(RoomNews::truncated);
        assertThat(raised).isEmpty();
    }

    @Test
    void f53_aChangeThatOvertakesTheRaise() {
        rooms.resumed(ROOM, true);
        rooms.compare(room, TOLD, TOLD);
        assertThat(raised).containsExactly(TOLD);
        raising.complete(TOLD + 1);
        change(TOLD + 1);

        assertThat(news).singleElement().matches(RoomNews::truncated);
    }

    @Test
    void f52_aChangeThatBringsRedisBeyondTheKnownRevisionBeforeTheRaise() {
        rooms.resumed(ROOM, true);
        rooms.compare(room, TOLD, TOLD);
        hear(TOLD + 1);
        raising.complete(TOLD + 1);
        runTimers();

        assertThat(news).singleElement().matches(RoomNews::truncated);
    }

    @Test
    void f52_soDoesOneThatIsAnnouncedBeforeTheRaiseIsAnswered() {
        rooms.compare(room, TOLD, TOLD - 1);
        change(TOLD + 1);
        raising.complete(TOLD + 1);
        runTimers();

        assertThat(news).singleElement().matches(RoomNews::truncated);
    }

    @Test
    void aNodeThatHearsOfTheRaiseBeforeItsAnswerMakesClientsListOnce() {
        rooms.resumed(ROOM, true);
        rooms.compare(room, TOLD, TOLD);
        rooms.raised(ROOM, TOLD + 5);
        runTimers();
        raising.complete(TOLD + 5);
        change(TOLD + 6);

        assertThat(news).extracting(RoomNews::truncated).containsExactly(true, false);
    }

    @Test
    void theNextChangeIsToldWithItsNames() {
        rooms.resumed(ROOM, true);
        rooms.compare(room, TOLD, TOLD + 1);
        change(TOLD + 1);
        change(TOLD + 2);

        assertThat(news.get(1)).matches(told -> !told.truncated());
    }

    @Test
    void afterALostLinkToTheSameRedisNobodyListsAgain() {
        rooms.resumed(ROOM, false);
        rooms.compare(room, TOLD, TOLD);
        change(TOLD + 1);

        assertThat(news).singleElement().matches(told -> !told.truncated());
        assertThat(raised).isEmpty();
    }

    private void change(long revision) {
        hear(revision);
        runTimers();
    }

    private void hear(long revision) {
        rooms.changed(ROOM, new RoomChange.Left(revision, new UserId("budi"), RemovalReason.LEFT, null), null);
    }

    private void runTimers() {
        while (!timers.isEmpty()) {
            timers.removeFirst().run();
        }
    }

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, given) -> switch (method.getName()) {
                    case "count" -> CompletableFuture.completedFuture(new RoomStore.Headcount(1, TOLD, List.of()));
                    case "raise" -> {
                        raised.add((Long) given[1]);
                        yield raising;
                    }
                    case "announce" -> {
                        news.add((RoomNews) given[0]);
                        yield null;
                    }
                    default -> method.getReturnType() == void.class ? null : new CompletableFuture<>();
                }));
    }
}
