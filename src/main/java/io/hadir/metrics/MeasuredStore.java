package io.hadir.metrics;

import io.hadir.presence.Holder;
import io.hadir.presence.JoinOutcome;
import io.hadir.presence.LeaveReason;
import io.hadir.presence.Page;
import io.hadir.presence.Position;
import io.hadir.presence.PresenceStore;
import io.hadir.presence.RoomId;
import io.hadir.presence.Seat;
import io.hadir.presence.UserId;
import io.hadir.presence.Username;
import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A store of which joins and heartbeats are counted, and when sockets were gone. */
final class MeasuredStore implements PresenceStore {
    private static final String JOINS = "hadir.joins";
    private static final String JOINS_ABOUT = "Joins that Redis was asked for, by what came of them";

    private final PresenceStore store;
    private final Partings partings;
    private final Counter joined;
    private final Counter refused;
    private final Counter failed;
    private final Counter restored;
    private final Counter heartbeats;

    MeasuredStore(PresenceStore store, Metrics metrics, Partings partings) {
        this.store = store;
        this.partings = partings;
        joined = metrics.counter(JOINS, JOINS_ABOUT, "result", "joined");
        refused = metrics.counter(JOINS, JOINS_ABOUT, "result", "refused");
        failed = metrics.counter(JOINS, JOINS_ABOUT, "result", "failed");
        restored = metrics.counter("hadir.restores", "Users put back into a room after a reconnect without a join");
        heartbeats = metrics.counter("hadir.heartbeats", "Heartbeats of sockets in rooms");
    }

    @Override
    public CompletionStage<JoinOutcome> join(Seat seat, Holder holder, Username name) {
        partings.forget(seat);
        return store.join(seat, holder, name).whenComplete((outcome, failure) -> {
            if (failure != null) {
                failed.increment();
            } else if (outcome instanceof JoinOutcome.Joined) {
                joined.increment();
            } else {
                refused.increment();
            }
        });
    }

    @Override
    public CompletionStage<Boolean> heartbeat(Seat seat, Duration ttl) {
        heartbeats.increment();
        return store.heartbeat(seat, ttl);
    }

    @Override
    public CompletionStage<Void> disconnect(Seat seat, Holder holder, boolean fenced) {
        partings.begin(seat, holder);
        return store.disconnect(seat, holder, fenced);
    }

    @Override
    public CompletionStage<Optional<JoinOutcome.Joined>> restore(Seat seat, Holder holder) {
        return store.restore(seat, holder).whenComplete((outcome, failure) -> {
            if (failure == null && outcome.isPresent()) {
                partings.forget(seat);
                restored.increment();
            }
        });
    }

    @Override
    public boolean isAvailable() {
        return store.isAvailable();
    }

    @Override
    public CompletionStage<Void> leave(Seat seat, Holder holder, LeaveReason reason, boolean fenced) {
        return store.leave(seat, holder, reason, fenced);
    }

    @Override
    public CompletionStage<Boolean> remove(Seat seat, LeaveReason reason, @Nullable String message) {
        return store.remove(seat, reason, message);
    }

    @Override
    public CompletionStage<Void> rememberRooms(UserId user, Collection<RoomId> rooms) {
        return store.rememberRooms(user, rooms);
    }

    @Override
    public CompletionStage<Set<RoomId>> rememberedRooms(UserId user) {
        return store.rememberedRooms(user);
    }

    @Override
    public CompletionStage<Page> list(RoomId room, @Nullable Position after, int limit) {
        return store.list(room, after, limit);
    }

    @Override
    public CompletionStage<Headcount> count(RoomId room) {
        return store.count(room);
    }

    @Override
    public CompletionStage<Optional<Duration>> lapse(RoomId room) {
        return store.lapse(room);
    }

    @Override
    public CompletionStage<Void> prune(RoomId room, Map<UserId, Optional<LeaveReason>> users) {
        return store.prune(room, users);
    }

    @Override
    public CompletionStage<Checked> check(RoomId room, List<Claim> claims) {
        return store.check(room, claims);
    }
}
