package io.hadir.presence;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Others find every room of this node on record, whatever Redis does. */
class RoomRecordTest {
    private static final RoomId A = new RoomId("a");
    private static final RoomId B = new RoomId("b");

    private final TestLoop loop = new TestLoop();
    private final Set<RoomId> recorded = new HashSet<>();
    private final List<String> calls = new ArrayList<>();
    private boolean away;
    private boolean unanswered;
    private boolean renewed;
    private final Departures departures = new Departures(silentSeats(), loop, 10);
    private final RoomRecord record = new RoomRecord("n", new Memory(), departures, loop);

    @Test
    void aRoomIsOnRecordAtOnceAndStaysForAnotherRenewal() {
        renew(false);
        record.open(A);
        loop.run();
        assertThat(recorded).containsExactly(A);
        record.close(A);
        renew(false);
        assertThat(recorded).containsExactly(A);
        renew(false);
        assertThat(recorded).isEmpty();
    }

    @Test
    void aRoomThatIsSoonEnteredAgainCostsNothing() {
        renew(false);
        record.open(A);
        loop.run();
        calls.clear();
        record.close(A);
        renew(false);
        record.open(A);
        renew(false);
        renew(false);
        renew(false);
        assertThat(recorded).containsExactly(A);
        assertThat(calls).isEmpty();
    }

    @Test
    void aRoomWithAWaitingDepartureStaysOnRecord() {
        renew(false);
        record.open(A);
        loop.run();
        Seat seat = new Seat(A, new UserId("adi"));
        Holder holder = new Holder(new SocketId("n.s"), 1);
        departures.add(new Departures.Departure(Departures.Kind.DISCONNECT, seat, holder, false));
        record.close(A);
        for (int i = 0; i < 5; i++) {
            renew(false);
        }
        assertThat(recorded).containsExactly(A);
        departures.forget(seat, new Holder(holder.socket(), 2));
        renew(false);
        assertThat(recorded).isEmpty();
    }

    @Test
    void whatCouldNotBeAddedOrRemovedIsLater() {
        renew(false);
        record.open(A);
        loop.run();
        record.close(A);
        renew(false);
        away = true;
        record.open(B);
        renew(false);
        renew(false);
        assertThat(recorded).containsExactly(A);
        away = false;
        renew(false);
        renew(false);
        assertThat(recorded).containsExactly(B);
    }

    @Test
    void aRoomThatWasPerhapsRemovedIsAddedAgain() {
        renew(false);
        record.open(A);
        loop.run();
        record.close(A);
        renew(false);
        unanswered = true;
        renew(false);
        unanswered = false;
        record.open(A);
        renew(false);
        renew(false);
        assertThat(recorded).containsExactly(A);
    }

    @Test
    void aLostRecordIsWrittenAgain() {
        renew(false);
        record.open(A);
        record.open(B);
        loop.run();
        recorded.clear();
        renewed = false;
        renew(false);
        assertThat(recorded).containsExactlyInAnyOrder(A, B);
    }

    @Test
    void aRoomThatEndedBeforeTheRecordWasLostIsAddedWhenItIsEnteredAgain() {
        renew(false);
        record.open(A);
        loop.run();
        record.close(A);
        recorded.clear();
        renewed = false;
        renew(false);
        record.open(A);
        renew(false);
        renew(false);
        assertThat(recorded).containsExactly(A);
    }

    @Test
    void aRoomThatWasNeverAddedIsAddedWhenItIsEnteredAgain() {
        renew(false);
        away = true;
        record.open(A);
        loop.run();
        record.close(A);
        renew(false);
        away = false;
        record.open(A);
        loop.run();
        assertThat(recorded).containsExactly(A);
    }

    @Test
    void f53_aRecordThatMayBeOlderIsWrittenAgain() {
        renew(false);
        record.open(A);
        record.open(B);
        loop.run();
        recorded.remove(B);
        renew(false);
        assertThat(recorded).containsExactly(A);
        away = true;
        renew(true);
        away = false;
        renew(false);
        assertThat(recorded).containsExactlyInAnyOrder(A, B);
    }

    private void renew(boolean doubt) {
        record.renew(doubt);
        loop.run();
    }

    private final class Memory implements NodeRooms {
        @Override
        public CompletionStage<Void> add(String node, Collection<RoomId> rooms) {
            return step("add", () -> recorded.addAll(rooms));
        }

        @Override
        public CompletionStage<Void> remove(String node, Collection<RoomId> rooms) {
            CompletionStage<Void> done = step("remove", () -> recorded.removeAll(rooms));
            return unanswered ? CompletableFuture.failedFuture(new IllegalStateException("no answer")) : done;
        }

        private CompletionStage<Void> step(String name, Runnable step) {
            if (away) {
                return CompletableFuture.failedFuture(new IllegalStateException("away"));
            }
            calls.add(name);
            return CompletableFuture.runAsync(step, loop);
        }

        @Override
        public CompletionStage<Boolean> renew(String node) {
            boolean kept = renewed;
            renewed |= !away;
            return away
                    ? CompletableFuture.failedFuture(new IllegalStateException("away"))
                    : CompletableFuture.completedFuture(kept);
        }

        @Override
        public CompletionStage<Boolean> each(String node, Function<List<RoomId>, CompletionStage<Boolean>> step) {
            throw new AssertionError("nobody cleans up");
        }
    }

    /** Seats on a Redis that never answers. */
    private static SeatStore silentSeats() {
        return (SeatStore) Proxy.newProxyInstance(
                SeatStore.class.getClassLoader(),
                new Class<?>[] {SeatStore.class},
                (proxy, method, arguments) ->
                        method.getReturnType() == boolean.class ? (Object) false : new CompletableFuture<>());
    }
}
