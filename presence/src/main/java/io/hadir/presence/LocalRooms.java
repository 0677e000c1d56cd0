package io.hadir.presence;

import io.hadir.presence.RoomFeed.ViewerCount;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.RoomSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The rooms that sockets of this node are in or watch. Hears their changes, and announces them to the sockets in
 * batches. Lives on the loop.
 */
final class LocalRooms implements RoomFeed.Listener {
    /** In revisions, which start at Redis' clock in ms. An app that has heard of one so far ahead is mistaken. */
    private static final long MOST_LOST = Duration.ofDays(1).toMillis();

    /** A change further below the latest is not late: Redis' clock was ahead, and Redis has lost its data since. */
    private static final long MOST_LATE = 10_000;

    /** Redis' clock goes on while its answer is under way. */
    private static final Duration EXPIRY_MARGIN = Duration.ofMillis(20);

    /** How soon a room that could not be counted is counted again. */
    private static final Duration RETRY = Duration.ofSeconds(1);

    /** How often a node compares the hints of a crowded room with live presences. */
    private static final Duration HINTS_CHECKED = Duration.ofSeconds(30);

    /** How long a published message may take to arrive. */
    private static final Duration UNDER_WAY = Duration.ofMillis(500);

    private final Map<RoomId, LocalRoom> rooms = new HashMap<>();
    private final RoomStore store;
    private final RoomDirectory directory;
    private final RoomFeed feed;
    private final RoomRecord record;
    private final Clients clients;
    private final SharedQuery<RoomStore.Headcount> counts;
    private final Loop loop;
    private final PresenceSettings settings;
    private Listener listener = Listener.NONE;

    /** Takes care of the memberships of a room. */
    interface Listener {
        Listener NONE = new Listener() {};

        /** A user has left. */
        default void left(LocalRoom room, RoomChange.Left change) {}

        /** A watched room has so many users after its latest changes. */
        default void counted(RoomId room, long count) {}

        /** The room has other rules. */
        default void ruled(LocalRoom room) {}

        /** The room has to be checked, until that succeeds. */
        default void check(LocalRoom room) {}
    }

    LocalRooms(
            Stores stores,
            RoomFeed feed,
            RoomRecord record,
            Clients clients,
            SharedQuery<RoomStore.Headcount> counts,
            Loop loop,
            PresenceSettings settings) {
        this.store = stores.rooms();
        this.directory = stores.directory();
        this.feed = feed;
        this.record = record;
        this.clients = clients;
        this.counts = counts;
        this.loop = loop;
        this.settings = settings;
        feed.listen(this);
    }

    void listen(Listener newListener) {
        listener = newListener;
    }

    @Nullable
    LocalRoom get(RoomId id) {
        return rooms.get(id);
    }

    /** Whether sockets of this node are still in this room or watch it. */
    boolean isCurrent(LocalRoom room) {
        return rooms.get(room.id) == room;
    }

    List<LocalRoom> all() {
        return List.copyOf(rooms.values());
    }

    /** Adds a membership; completes when the node will hear every later change in the room. */
    CompletionStage<Void> add(Membership membership) {
        LocalRoom room = rooms.computeIfAbsent(membership.seat.room(), this::open);
        if (room.users() == 0) {
            record.open(room.id);
        }
        room.add(membership);
        return room.subscribed;
    }

    private LocalRoom open(RoomId id) {
        LocalRoom room = new LocalRoom(id, new RoomRules(settings.ttl(), null));
        // A feed that fails now catches up later. The room can be used until then.
        room.subscribed = feed.subscribe(id).handleAsync((done, failed) -> null, loop);
        return room;
    }

    /** A socket has joined the room. */
    void joined(LocalRoom room, JoinOutcome.Joined outcome) {
        rule(room, outcome.rules());
        outcome.change().ifPresent(room::hear);
        watchLapses(room, outcome.view());
    }

    /** The room has these rules. */
    void rule(LocalRoom room, RoomRules rules) {
        room.rules = rules;
        if (isCurrent(room)) {
            listener.ruled(room);
        }
    }

    /** Announces users who are still listed although their presence is gone; completes with whether there are any. */
    CompletionStage<Boolean> announceDead(RoomId id) {
        return counts.about(id)
                .thenCompose(count -> count.dead().isEmpty()
                        ? CompletableFuture.completedFuture(false)
                        : store.announceExpired(id, count.dead(), null).thenApplyAsync(done -> true, loop));
    }

    /** Checks a room, until that succeeds. */
    void check(RoomId id) {
        LocalRoom room = rooms.get(id);
        if (room != null) {
            listener.check(room);
        }
    }

    /**
     * Expires the room's lapses from now on.
     *
     * @param view what a join has read of the room, if it has
     */
    void watchLapses(LocalRoom room, Optional<JoinOutcome.View> view) {
        if (!room.watchesLapses) {
            room.watchesLapses = true;
            view.ifPresentOrElse(seen -> expireLapsesAfter(room, seen.nextLapse()), () -> expireLapses(room));
        }
    }

    /** Adds a joined room to the directory. If that fails, the sweep does it. */
    CompletionStage<Void> addToDirectory(LocalRoom room) {
        room.isInDirectory = true;
        return directory.add(List.of(room.id)).handleAsync((done, failed) -> null, loop);
    }

    void remove(Membership membership) {
        LocalRoom room = rooms.get(membership.seat.room());
        if (room == null) {
            return;
        }
        room.remove(membership);
        if (room.users() == 0) {
            record.close(room.id);
        }
        closeIfUnused(room);
    }

    private void closeIfUnused(LocalRoom room) {
        if (room.isUnused()) {
            rooms.remove(room.id);
            room.close();
            feed.unsubscribe(room.id);
        }
    }

    /** Hears the counts of a room from now on; completes when no later change can be missed. */
    CompletionStage<Void> watch(RoomId id) {
        LocalRoom room = rooms.computeIfAbsent(id, this::open);
        room.watched = true;
        return room.subscribed.thenRun(() -> {
            if (isCurrent(room)) {
                watchLapses(room, Optional.empty());
            }
        });
    }

    void unwatch(RoomId id) {
        LocalRoom room = rooms.get(id);
        if (room != null) {
            room.watched = false;
            closeIfUnused(room);
        }
    }

    @Override
    public void changed(RoomId id, RoomChange change, @Nullable ViewerCount count) {
        withRoom(id, room -> {
            room.hear(change);
            if (room.coalescer.add(change, count)) {
                room.changed(loop.nanos());
                announceLater(room);
            } else if (change.revision() < room.coalescer.heard() - MOST_LATE) {
                listener.check(room);
            }
            if (change instanceof RoomChange.Left left) {
                listener.left(room, left);
            }
        });
    }

    @Override
    public void lapsing(RoomId id, Duration in) {
        withRoom(id, room -> expireLapsesAfter(room, Optional.of(in)));
    }

    @Override
    public void rulesChanged(RoomId id, RoomSettings now) {
        withRoom(id, room -> {
            // At once, for the next heartbeat. And read again, because an older answer may be under way.
            Duration ttl = now.ttl();
            rule(room, new RoomRules(ttl == null ? settings.ttl() : ttl, now.inactivityMessage()));
            refreshRules(id);
        });
    }

    /** Makes the next sweep check a room thoroughly. */
    void checkSoon(RoomId id) {
        LocalRoom room = rooms.get(id);
        if (room != null) {
            room.renewAt = loop.nanos();
        }
    }

    /** Reads the rules of a room again, if this node has sockets in it. */
    CompletionStage<Void> refreshRules(RoomId id) {
        LocalRoom room = rooms.get(id);
        if (room == null) {
            return CompletableFuture.completedFuture(null);
        }
        return store.check(id, List.of()).thenAcceptAsync(checked -> rule(room, checked.rules()), loop);
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
            listener.check(room);
        });
    }

    /**
     * A socket that moved here has heard of the room up to a revision. If Redis has gone back to older data since, the
     * node that told it may not have noticed, so this one compares, and the socket's client lists the room again.
     *
     * @param revision the room's revision when the socket was taken over
     */
    void takeOver(LocalRoom room, long revision, Presence.Moved moved) {
        // A node notices within a sweep that Redis has gone back.
        Duration doubtful = moved.heardAgo().plus(settings.sweep().multipliedBy(2));
        boolean isBehind = moved.heard() > revision && moved.heard() - revision < MOST_LOST;
        if (isBehind || (moved.heard() == revision && feed.steadyFor().compareTo(doubtful) < 0)) {
            room.coalescer.reach(moved.heard());
            room.mayDiffer = true;
            listener.check(room);
        }
    }

    /**
     * Compares what this node has heard of a room with the revision that Redis has.
     *
     * @param heard the latest revision that the node had heard of when it asked
     */
    CompletionStage<Void> compare(LocalRoom room, long heard, long revision) {
        if (!isCurrent(room)) {
            return CompletableFuture.completedFuture(null);
        }
        long known = room.coalescer.heard();
        if (revision < heard || (room.mayDiffer && revision <= known)) {
            // Redis may have gone back to older data, where the same revisions stand for other changes. The next batch
            // may have such a change, even if other nodes have brought Redis beyond the known revision meanwhile.
            room.coalescer.miss();
            return store.raise(room.id, known).thenAcceptAsync(raised -> listAgain(room, raised), loop);
        }
        if (room.mayDiffer) {
            listAgain(room, revision);
        } else if (revision > known) {
            loop.after(UNDER_WAY, () -> reach(room, revision));
        }
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Makes clients list the room again, at a revision above all that they know. From there on, they can rely on its
     * changes, even if Redis went back to older data.
     */
    private void listAgain(LocalRoom room, long revision) {
        room.mayDiffer = false;
        reach(room, revision);
    }

    /** The room has reached this revision. If this node missed a change, its clients list again. */
    private void reach(LocalRoom room, long revision) {
        if (isCurrent(room) && room.coalescer.reach(revision)) {
            announceLater(room);
        }
    }

    /** Expires lapses after the time that Redis gave, if it gave one. */
    void expireLapsesAfter(LocalRoom room, Optional<Duration> in) {
        if (in.isPresent() && isCurrent(room)) {
            room.expireAfter(in.get().plus(EXPIRY_MARGIN), loop, () -> expireLapses(room));
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

    private void expireLapses(LocalRoom room) {
        if (!isCurrent(room)) {
            return;
        }
        store.expireLapses(room.id)
                .whenCompleteAsync(
                        (next, failed) -> {
                            if (!isCurrent(room)) {
                                return;
                            }
                            if (failed != null) {
                                room.expireAfter(settings.grace(), loop, () -> expireLapses(room));
                            } else {
                                expireLapsesAfter(room, next);
                            }
                        },
                        loop);
    }

    private void announceLater(LocalRoom room) {
        if (room.pending == null) {
            room.announceAfter(room.waitBeforeAnnouncing(loop.nanos()), loop, () -> announce(room));
        }
    }

    /**
     * Announces the batch with the count of its last change. If there is none that may be used, counts the room after
     * the batch is closed, so that the count is at least as new as the batch.
     */
    private void announce(LocalRoom room) {
        if (room.pending == null) {
            if (room.mayDiffer) {
                room.coalescer.miss();
            }
            room.pending = room.coalescer.drain().orElse(null);
        }
        Coalescer.Batch batch = room.pending;
        if (batch == null) {
            return;
        }
        ViewerCount known = batch.count();
        if (known != null && (known.alive() || mayTrustHints(room, known))) {
            announce(room, batch, known.viewers());
            return;
        }
        counts.about(room.id).whenComplete((count, failed) -> {
            if (!isCurrent(room)) {
                return;
            }
            if (failed != null) {
                room.announceAfter(RETRY, loop, () -> announce(room));
                return;
            }
            room.counted(loop.nanos());
            announce(room, batch, count.alive());
        });
    }

    /** Whether the room is so large that its hints may be announced, because they were checked not long ago. */
    private boolean mayTrustHints(LocalRoom room, ViewerCount hints) {
        return hints.viewers() > settings.namesLimit() && room.isCountedWithin(HINTS_CHECKED, loop.nanos());
    }

    private void announce(LocalRoom room, Coalescer.Batch batch, long count) {
        room.pending = null;
        room.announced(loop.nanos(), count);
        if (room.users() > 0) {
            clients.announce(news(room, batch, count));
        }
        if (room.watched) {
            listener.counted(room.id, count);
        }
        if (room.coalescer.hasChanges()) {
            announceLater(room);
        }
    }

    private RoomNews news(LocalRoom room, Coalescer.Batch batch, long count) {
        boolean truncated = batch.missed() || count > settings.namesLimit();
        return new RoomNews(
                room.id,
                batch.from(),
                batch.to(),
                truncated ? List.of() : batch.joined(),
                truncated ? List.of() : batch.left(),
                truncated ? List.of() : batch.updated(),
                count,
                truncated);
    }
}
