package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.RoomSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rooms in which this node has sockets. Hears of their changes while it has, and tells the sockets of them in
 * batches. Lives on the loop.
 */
public final class LocalRooms implements RoomFeed.Listener {
    /** Redis' clock has run on a little while its answer was under way. */
    private static final Duration LAPSE_MARGIN = Duration.ofMillis(20);

    /** How soon a room is told that could not be counted. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** How long a message may be under way that Redis has published. */
    private static final Duration UNDER_WAY = Duration.ofMillis(500);

    private final Map<RoomId, LocalRoom> rooms = new HashMap<>();
    private final PresenceStore store;
    private final RoomFeed feed;
    private final LocalSockets sockets;
    private final Coalesced<PresenceStore.Headcount> counts;
    private final Loop loop;
    private final PresenceSettings settings;
    private Listener listener = Listener.NONE;

    /** Who looks after the local sockets of a room. */
    public interface Listener {
        Listener NONE = new Listener() {};

        /** A user is out. */
        default void left(LocalRoom room, RoomChange.Left change) {}

        /** The room has to be compared with Redis, until that succeeds. */
        default void compare(LocalRoom room) {}
    }

    public LocalRooms(
            PresenceStore store,
            RoomFeed feed,
            LocalSockets sockets,
            Coalesced<PresenceStore.Headcount> counts,
            Loop loop,
            PresenceSettings settings) {
        this.store = store;
        this.feed = feed;
        this.sockets = sockets;
        this.counts = counts;
        this.loop = loop;
        this.settings = settings;
        feed.listen(this);
    }

    public void listen(Listener newListener) {
        listener = newListener;
    }

    @Nullable
    public LocalRoom get(RoomId id) {
        return rooms.get(id);
    }

    /** Whether this is still how the node knows the room, and not one that it has left since. */
    public boolean isCurrent(LocalRoom room) {
        return rooms.get(room.id) == room;
    }

    public List<LocalRoom> all() {
        return List.copyOf(rooms.values());
    }

    /** Adds a membership; completes when nothing that happens in the room from now on will be missed. */
    public CompletionStage<Void> add(Membership membership) {
        LocalRoom room = rooms.computeIfAbsent(membership.seat.room(), this::open);
        room.add(membership);
        return room.subscribed;
    }

    private LocalRoom open(RoomId id) {
        LocalRoom room = new LocalRoom(id, new RoomRules(settings.ttl(), null));
        // A feed that cannot be heard now catches up later; the room can be used until then.
        room.subscribed = feed.subscribe(id)
                .handleAsync(
                        (done, failed) -> {
                            lapse(room);
                            return null;
                        },
                        loop);
        return room;
    }

    /** Puts a room that was joined on the list of occupied ones. If that fails, the sweep does it. */
    public CompletionStage<Void> noteOccupied(LocalRoom room) {
        room.noted = true;
        return store.noteOccupied(List.of(room.id)).handleAsync((done, failed) -> null, loop);
    }

    public void remove(Membership membership) {
        LocalRoom room = rooms.get(membership.seat.room());
        if (room == null) {
            return;
        }
        room.remove(membership);
        if (room.isEmpty()) {
            rooms.remove(room.id);
            room.close();
            feed.unsubscribe(room.id);
        }
    }

    @Override
    public void changed(RoomId id, RoomChange change) {
        withRoom(id, room -> {
            room.hear(change);
            if (room.coalescer.add(change)) {
                tellLater(room);
            }
            if (change instanceof RoomChange.Left left) {
                listener.left(room, left);
            }
        });
    }

    @Override
    public void lapsing(RoomId id, Duration in) {
        withRoom(id, room -> lapseIn(room, Optional.of(in)));
    }

    @Override
    public void rulesChanged(RoomId id, RoomSettings now) {
        withRoom(id, room -> {
            // At once, for the next heartbeat; and asked for, since an older answer may still be under way.
            Duration ttl = now.ttl();
            room.rules = new RoomRules(ttl == null ? settings.ttl() : ttl, now.inactivityMessage());
            refreshRules(id);
        });
    }

    /** Asks what holds in a room, if it is one of ours. */
    public CompletionStage<Void> refreshRules(RoomId id) {
        LocalRoom room = rooms.get(id);
        if (room == null) {
            return CompletableFuture.completedFuture(null);
        }
        return store.check(id, List.of()).thenAcceptAsync(checked -> room.rules = checked.rules(), loop);
    }

    @Override
    public void raised(RoomId id, long revision) {
        withRoom(id, room -> {
            room.forgetRoster();
            reach(room, revision);
        });
    }

    @Override
    public void resumed(RoomId id, boolean otherRedis) {
        withRoom(id, room -> {
            room.mayDiffer |= otherRedis;
            listener.compare(room);
        });
    }

    /**
     * Compares what this node has heard of a room with the revision that Redis has.
     *
     * @param heard the latest revision that the node had heard of when it asked
     */
    public CompletionStage<Void> compare(LocalRoom room, long heard, long revision) {
        if (!isCurrent(room)) {
            return CompletableFuture.completedFuture(null);
        }
        long known = room.coalescer.heard();
        if (revision < heard || (room.mayDiffer && revision <= known)) {
            // Redis has gone back to older data, or may have: the same revisions can stand for other changes now.
            return store.raise(room.id, known).thenRunAsync(() -> listAgain(room), loop);
        }
        if (room.mayDiffer) {
            listAgain(room);
        }
        if (revision > room.coalescer.heard()) {
            loop.after(UNDER_WAY, () -> reach(room, revision));
        }
        return CompletableFuture.completedFuture(null);
    }

    /** From the next change on, clients can go by what they are told, once they have listed the room for that change. */
    private static void listAgain(LocalRoom room) {
        room.coalescer.miss();
        room.mayDiffer = false;
    }

    /** The room has reached this revision; if this node did not hear of every change, its clients list again. */
    private void reach(LocalRoom room, long revision) {
        if (isCurrent(room) && room.coalescer.reach(revision)) {
            tellLater(room);
        }
    }

    /** Looks for lapsed presences at the time that Redis named, if it named one. */
    public void lapseIn(LocalRoom room, Optional<Duration> in) {
        if (in.isPresent() && isCurrent(room)) {
            room.lapseIn(loop, in.get().plus(LAPSE_MARGIN), () -> lapse(room));
        }
    }

    private void withRoom(RoomId id, Consumer<LocalRoom> action) {
        loop.execute(() -> {
            LocalRoom room = rooms.get(id);
            if (room != null) {
                action.accept(room);
            }
        });
    }

    private void lapse(LocalRoom room) {
        if (!isCurrent(room)) {
            return;
        }
        store.lapse(room.id)
                .whenCompleteAsync(
                        (next, failed) -> {
                            if (!isCurrent(room)) {
                                return;
                            }
                            if (failed != null) {
                                room.lapseIn(loop, settings.grace(), () -> lapse(room));
                            } else {
                                lapseIn(room, next);
                            }
                        },
                        loop);
    }

    private void tellLater(LocalRoom room) {
        if (room.untold == null) {
            room.tellAfter(room.pause(loop.nanos()), loop, () -> tell(room));
        }
    }

    /** The count is begun after the batch is closed, so that it is no older than what the batch says. */
    private void tell(LocalRoom room) {
        if (room.untold == null) {
            if (room.mayDiffer) {
                room.coalescer.miss();
            }
            room.untold = room.coalescer.drain().orElse(null);
        }
        Coalescer.Batch batch = room.untold;
        if (batch == null) {
            return;
        }
        counts.about(room.id).whenComplete((count, failed) -> {
            if (!isCurrent(room)) {
                return;
            }
            if (failed != null) {
                room.tellAfter(RETRY, loop, () -> tell(room));
                return;
            }
            room.untold = null;
            room.told(loop.nanos(), count.alive());
            sockets.tell(news(room, batch, count.alive()));
            if (room.coalescer.hasChanges()) {
                tellLater(room);
            }
        });
    }

    private RoomNews news(LocalRoom room, Coalescer.Batch batch, long count) {
        boolean truncated = batch.missed() || count > settings.namesLimit();
        return new RoomNews(
                room.id,
                batch.from(),
                batch.to(),
                truncated ? List.of() : new ArrayList<>(batch.joined()),
                truncated ? List.of() : new ArrayList<>(batch.left()),
                truncated ? List.of() : new ArrayList<>(batch.updated()),
                count,
                truncated);
    }
}
