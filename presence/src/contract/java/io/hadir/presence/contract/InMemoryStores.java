package io.hadir.presence.contract;

import io.hadir.presence.NodeRooms;
import io.hadir.presence.RoomDirectory;
import io.hadir.presence.RoomFeed;
import io.hadir.presence.RoomSettingsStore;
import io.hadir.presence.RoomStore;
import io.hadir.presence.SeatStore;
import io.hadir.presence.Stores;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The stores and the feeds of nodes that share one memory instead of one Redis. Every step is a task on the loop: steps
 * are taken in the order in which they were asked for, and news arrive after the step that caused them.
 */
public final class InMemoryStores {
    private static final Duration MEMORY_MARGIN = Duration.ofSeconds(5);
    private static final Duration DIRECTORY_KEPT = Duration.ofDays(1);

    private final TestLoop loop;
    private final PresenceSettings settings;
    private final Map<RoomId, InMemoryRoom> rooms = new HashMap<>();
    private final Map<UserId, Remembered> remembered = new HashMap<>();
    private final TreeMap<String, RoomId> occupied = new TreeMap<>();
    private final Map<String, Set<RoomId>> nodeRooms = new HashMap<>();
    /** The nodes whose records are whole. */
    private final Set<String> renewed = new HashSet<>();

    private final List<Feed> feeds = new ArrayList<>();
    private Instant occupiedUntil = Instant.MIN;
    private boolean muted;
    private CompletionStage<Void> subscribing = CompletableFuture.completedFuture(null);
    private Instant steadySince = Instant.EPOCH;

    private record Remembered(Map<RoomId, Instant> rooms, Instant until) {}

    public InMemoryStores(TestLoop loop, PresenceSettings settings) {
        this.loop = loop;
        this.settings = settings;
    }

    /** The stores, the same for every node. */
    public Stores stores() {
        return new Stores(new Seats(), new Rooms(), new Directory(), new Settings(), new Records());
    }

    /** A feed for one more node. */
    public RoomFeed feed() {
        Feed feed = new Feed();
        feeds.add(feed);
        return feed;
    }

    // What other programs and accidents do, at once

    /** Deletes a presence, and nothing of what speaks for it. */
    public void losePresence(Seat seat) {
        room(seat.room()).losePresence(seat.user());
    }

    /** Deletes what is stored about a present user. */
    public void loseDetails(Seat seat) {
        room(seat.room()).loseDetails(seat.user());
    }

    /** Deletes everything. */
    public void loseEverything() {
        rooms.clear();
        remembered.clear();
        occupied.clear();
        nodeRooms.clear();
        renewed.clear();
    }

    /** Sets the revision of a room; 0 deletes it. */
    public void setRevision(RoomId room, long revision) {
        room(room).setRevision(revision);
    }

    /** Loses all news from now on, or no more. */
    public void mute(boolean lost) {
        muted = lost;
    }

    /** From now on, subscriptions are confirmed only after this. */
    public void subscribeAfter(CompletionStage<Void> held) {
        subscribing = held;
    }

    /** Interrupts the feeds, as a Redis that takes over does. */
    public void interrupt() {
        steadySince = loop.instant();
    }

    /** Bans a user, and leaves them where they are. */
    public void ban(Seat seat, Duration length) {
        room(seat.room()).ban(new Ban(seat, loop.instant().plus(length), null));
    }

    public void unban(Seat seat) {
        room(seat.room()).unban(seat.user());
    }

    private InMemoryRoom room(RoomId id) {
        return rooms.computeIfAbsent(
                id, added -> new InMemoryRoom(added, settings, loop::millis, news -> publish(added, news)));
    }

    private void publish(RoomId room, Consumer<RoomFeed.Listener> news) {
        if (!muted) {
            loop.execute(() -> feeds.forEach(feed -> feed.tell(room, news)));
        }
    }

    private <T> CompletionStage<T> step(Supplier<T> step) {
        return CompletableFuture.supplyAsync(step, loop);
    }

    private CompletionStage<Void> step(Runnable step) {
        return CompletableFuture.runAsync(step, loop);
    }

    private final class Seats implements SeatStore {
        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public boolean isAnswering() {
            return true;
        }

        @Override
        public CompletionStage<JoinOutcome> join(Join join) {
            return step(() -> room(join.seat().room()).join(join));
        }

        @Override
        public CompletionStage<Boolean> heartbeat(Seat seat, Duration ttl) {
            return step(() -> room(seat.room()).heartbeat(seat.user(), ttl));
        }

        @Override
        public CompletionStage<Boolean> update(Seat seat, Profile profile) {
            return step(() -> room(seat.room()).update(seat.user(), profile));
        }

        @Override
        public CompletionStage<Optional<Duration>> pause(Seat seat, SocketId socket) {
            return step(() -> room(seat.room()).pause(seat.user(), socket));
        }

        @Override
        public CompletionStage<Optional<Duration>> resume(Seat seat, SocketId socket) {
            return step(() -> room(seat.room()).resume(seat.user(), socket));
        }

        @Override
        public CompletionStage<Optional<Duration>> remaining(Seat seat) {
            return step(() -> room(seat.room()).remaining(seat.user()));
        }

        @Override
        public CompletionStage<Keeper> keeper(Seat seat) {
            return step(() -> room(seat.room()).keeper(seat.user()));
        }

        @Override
        public CompletionStage<Boolean> hasSocket(Seat seat, SocketId socket) {
            return step(() -> room(seat.room()).hasSocket(seat.user(), socket));
        }

        @Override
        public CompletionStage<Void> leave(Seat seat, Holder holder, RemovalReason reason, boolean fenced) {
            return step(() -> room(seat.room()).leave(seat.user(), holder, reason, fenced, false));
        }

        @Override
        public CompletionStage<Void> undo(Seat seat, Holder holder) {
            return step(() -> room(seat.room()).leave(seat.user(), holder, RemovalReason.LEFT, true, true));
        }

        @Override
        public CompletionStage<Void> disconnect(Seat seat, Holder holder, boolean fenced) {
            return step(() -> room(seat.room()).disconnect(seat.user(), holder, fenced, false));
        }

        @Override
        public CompletionStage<Void> suspend(Seat seat, Holder holder, boolean fenced) {
            return step(() -> room(seat.room()).disconnect(seat.user(), holder, fenced, true));
        }

        @Override
        public CompletionStage<Boolean> kick(Seat seat, @Nullable String message) {
            return step(() -> room(seat.room()).remove(seat.user(), RemovalReason.KICKED, message));
        }

        @Override
        public CompletionStage<Void> leaveEverywhere(Seat seat, Holder holder) {
            return step(() -> room(seat.room()).leaveEverywhere(seat.user(), holder));
        }

        @Override
        public CompletionStage<Boolean> sweep(Seat seat, RemovalReason reason, Collection<SocketId> dead) {
            return step(() -> room(seat.room()).sweep(seat.user(), reason, dead));
        }

        @Override
        public CompletionStage<CleanedUp> cleanUp(RoomId room, String node, @Nullable Instant graceUntil) {
            long until = graceUntil == null ? 0 : graceUntil.toEpochMilli();
            return step(() -> room(room).cleanUp(node, until));
        }

        @Override
        public CompletionStage<Void> rememberRooms(UserId user, Collection<RoomId> added) {
            return step(() -> {
                Map<RoomId, Instant> all = new HashMap<>(remembered(user));
                Instant ends = loop.instant().plus(settings.grace());
                added.forEach(room -> all.put(room, ends));
                remembered.put(user, new Remembered(Map.copyOf(all), ends.plus(MEMORY_MARGIN)));
            });
        }

        @Override
        public CompletionStage<Map<RoomId, Instant>> rememberedRooms(UserId user) {
            return step(() -> remembered(user));
        }

        private Map<RoomId, Instant> remembered(UserId user) {
            Remembered known = remembered.get(user);
            return known == null || loop.instant().isAfter(known.until) ? Map.of() : known.rooms;
        }

        @Override
        public CompletionStage<Optional<JoinOutcome.Joined>> restore(
                Seat seat, Holder holder, @Nullable Instant until) {
            return step(() -> room(seat.room()).restore(seat.user(), holder, until));
        }
    }

    private final class Rooms implements RoomStore {
        @Override
        public boolean isAvailable(RoomId room) {
            return true;
        }

        @Override
        public CompletionStage<Page> list(RoomId room, @Nullable Position after, int limit) {
            return step(() -> room(room).list(after, limit, false));
        }

        @Override
        public CompletionStage<FirstPage> listFirst(RoomId room, int limit, @Nullable Roster known) {
            return step(() -> room(room).listFirst(limit, known));
        }

        @Override
        public CompletionStage<FirstPage> listForNewcomer(RoomId room, int limit, @Nullable Roster known) {
            return listFirst(room, limit, known);
        }

        @Override
        public CompletionStage<Page> listWithEvidence(RoomId room, @Nullable Position after, int limit) {
            return step(() -> room(room).list(after, limit, true));
        }

        @Override
        public CompletionStage<Headcount> count(RoomId room) {
            return step(() -> room(room).count());
        }

        @Override
        public Map<RoomId, CompletionStage<Headcount>> count(Collection<RoomId> asked) {
            Map<RoomId, CompletionStage<Headcount>> counts = new LinkedHashMap<>();
            asked.forEach(room -> counts.computeIfAbsent(room, this::count));
            return counts;
        }

        @Override
        public CompletionStage<Map<RoomId, Long>> countHints(Collection<RoomId> asked) {
            return step(() -> asked.stream()
                    .collect(Collectors.toMap(
                            room -> room, room -> (long) room(room).hints(), (one, same) -> one)));
        }

        @Override
        public CompletionStage<Set<UserId>> absent(RoomId room, Collection<UserId> users) {
            return step(() -> room(room).absent(users));
        }

        @Override
        public CompletionStage<Optional<Duration>> expireLapses(RoomId room) {
            return step(() -> room(room).expireLapses());
        }

        @Override
        public CompletionStage<Void> announceExpired(
                RoomId room, Collection<UserId> users, @Nullable RemovalReason reason) {
            return step(() -> room(room).announceExpired(users, reason));
        }

        @Override
        public CompletionStage<Checked> check(RoomId room, List<Claim> claims) {
            return step(() -> room(room).check(claims));
        }

        @Override
        public List<CompletionStage<Compared>> compare(List<Claims> claims) {
            return claims.stream()
                    .map(one -> step(() -> room(one.room()).compare(one.seats())))
                    .toList();
        }

        /** Nothing here can have the wrong type. */
        @Override
        public CompletionStage<Void> repair(RoomId room) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletionStage<Long> raise(RoomId room, long revision) {
            return step(() -> room(room).raise(revision));
        }
    }

    private final class Directory implements RoomDirectory {
        @Override
        public CompletionStage<Void> add(Collection<RoomId> added) {
            return step(() -> {
                added.forEach(room -> occupied().put(room.encoded(), room));
                occupiedUntil = loop.instant().plus(DIRECTORY_KEPT);
            });
        }

        @Override
        public CompletionStage<Void> remove(Collection<RoomId> removed) {
            return step(() -> removed.forEach(room -> occupied().remove(room.encoded())));
        }

        @Override
        public CompletionStage<List<RoomId>> after(@Nullable RoomId room, int limit) {
            return step(() -> occupied().tailMap(room == null ? "" : room.encoded(), false).values().stream()
                    .limit(limit)
                    .toList());
        }

        @Override
        public CompletionStage<Set<RoomId>> missing(Collection<RoomId> asked) {
            return step(() -> {
                Set<RoomId> missing = new HashSet<>(asked);
                missing.removeAll(occupied().values());
                return missing;
            });
        }

        @Override
        public CompletionStage<Long> count() {
            return step(() -> (long) occupied().size());
        }

        private NavigableMap<String, RoomId> occupied() {
            if (loop.instant().isAfter(occupiedUntil)) {
                occupied.clear();
                // What is added now lasts until the step that adds it says how long.
                occupiedUntil = Instant.MAX;
            }
            return occupied;
        }
    }

    private final class Records implements NodeRooms {
        @Override
        public CompletionStage<Void> add(String node, Collection<RoomId> added) {
            return step(() -> {
                nodeRooms.computeIfAbsent(node, first -> new HashSet<>()).addAll(added);
            });
        }

        @Override
        public CompletionStage<Void> remove(String node, Collection<RoomId> removed) {
            return step(() -> {
                nodeRooms.computeIfAbsent(node, first -> new HashSet<>()).removeAll(removed);
            });
        }

        @Override
        public CompletionStage<Boolean> renew(String node) {
            return step(() -> !renewed.add(node));
        }

        @Override
        public CompletionStage<Boolean> each(String node, Function<List<RoomId>, CompletionStage<Boolean>> step) {
            return step(() -> List.copyOf(nodeRooms.getOrDefault(node, Set.of())))
                    .thenCompose(step)
                    .thenApply(go -> renewed.contains(node));
        }
    }

    private final class Settings implements RoomSettingsStore {
        @Override
        public CompletionStage<RoomSettings> read(RoomId room) {
            return step(() -> room(room).settings());
        }

        @Override
        public CompletionStage<Void> write(RoomId room, RoomSettings changed) {
            return step(() -> room(room).configure(changed));
        }
    }

    private final class Feed implements RoomFeed {
        private final Set<RoomId> subscribed = new HashSet<>();
        private @Nullable Listener listener;

        @Override
        public CompletionStage<Void> subscribe(RoomId room) {
            CompletionStage<Void> held = subscribing;
            return step(() -> {
                        subscribed.add(room);
                    })
                    .thenCompose(done -> held);
        }

        @Override
        public void unsubscribe(RoomId room) {
            loop.execute(() -> subscribed.remove(room));
        }

        @Override
        public Duration steadyFor() {
            return Duration.between(steadySince, loop.instant());
        }

        @Override
        public void listen(Listener added) {
            listener = added;
        }

        private void tell(RoomId room, Consumer<Listener> news) {
            if (listener != null && subscribed.contains(room)) {
                news.accept(listener);
            }
        }
    }
}
