package io.hadir.presence;

import io.hadir.presence.contract.InMemoryStores;
import io.hadir.presence.contract.StoresContract;
import io.hadir.presence.contract.TestLoop;
import io.hadir.presence.room.Seat;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** The stores in memory keep the contract, so tests of the rules may use them. */
class InMemoryStoresTest extends StoresContract {
    private final TestLoop loop = new TestLoop();
    private final InMemoryStores memory = new InMemoryStores(loop, SETTINGS);

    @Override
    protected Stores stores() {
        return memory.stores();
    }

    @Override
    protected RoomFeed feed() {
        return memory.feed();
    }

    @Override
    protected <T> T get(CompletionStage<T> stage) {
        loop.run();
        return stage.toCompletableFuture().orTimeout(1, TimeUnit.SECONDS).join();
    }

    @Override
    protected void advance(Duration time) {
        loop.advance(time);
    }

    @Override
    protected Instant now() {
        return loop.instant();
    }

    @Override
    protected Duration slack() {
        return Duration.ZERO;
    }

    @Override
    protected void losePresence(Seat seat) {
        memory.losePresence(seat);
    }

    @Override
    protected void loseDetails(Seat seat) {
        memory.loseDetails(seat);
    }

    @Override
    protected void ban(Seat seat, Duration length) {
        memory.ban(seat, length);
    }

    @Override
    protected void unban(Seat seat) {
        memory.unban(seat);
    }
}
