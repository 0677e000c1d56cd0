package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Listing.PageStart;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of a presence on one node: every step of a socket in a room enters here, and what backends ask about rooms.
 * {@link Joins}, {@link Stays}, {@link Leaves} and {@link Moves} have the rules.
 *
 * <p>Only the {@link Stores} know who is present. A node knows which local socket takes part in which room, so that it
 * informs the right sockets and ends the right presences. That state lives on the {@link Loop}: public methods may be
 * called from any thread and complete on the loop.
 *
 * <p>Each socket has a {@link StepQueue}. A client gets its answer in time even if the store is silent; if the step
 * succeeds later, it is undone.
 */
public final class Presence {
    private static final int AT_ONCE = 1000;

    private final SeatStore seats;
    private final Loop loop;
    private final PresenceSettings settings;
    private final UserListener users;
    private final Answers answers;
    private final Listings listings;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final Departures departures;
    private final Lobby lobby;
    private final LocalNode node;
    private final Joins joins;
    private final Stays stays;
    private final Leaves leaves;
    private final Moves moves;

    /** @param self the id of this node */
    public Presence(
            String self,
            Stores stores,
            RoomFeed feed,
            Clients clients,
            Loop loop,
            InstantSource clock,
            PresenceSettings settings,
            UserListener users) {
        this.loop = loop;
        this.settings = settings;
        this.users = users;
        seats = stores.seats();
        answers = new Answers(loop, seats::isAnswering);
        departures = new Departures(seats, loop, Departures.MOST);
        RoomStore store = stores.rooms();
        SharedQuery<RoomStore.Headcount> counts = new SharedQuery<>(store::count, RoomStore.Headcount::alive, loop);
        RoomRecord record = new RoomRecord(self, stores.nodeRooms(), departures, loop);
        rooms = new LocalRooms(stores, feed, record, clients, counts, loop, settings);
        listings = new Listings(store, rooms, counts, loop, clock);
        memberships = new Memberships(store, rooms, clients, loop, clock, settings, users);
        RoomChecks checks = new RoomChecks(store, rooms, memberships, loop);
        Silences silences = new Silences(seats, rooms, clients, loop, clock);
        lobby = new Lobby(store, rooms, clients, loop);
        joins = new Joins(seats, loop, settings, users, listings, rooms, memberships, departures);
        stays = new Stays(seats, loop, clock, users, rooms, memberships, joins);
        leaves = new Leaves(seats, clients, loop, users, memberships, departures, lobby);
        moves = new Moves(clients, loop, users, memberships, departures, joins, stays);
        node = new LocalNode(self, stores, rooms, record, memberships, departures, checks, loop, users);
        users.attach(new UserListener.Sockets() {
            @Override
            public void disconnect(SocketId socket, String message) {
                stepIfOpen(socket, open -> leaves.kickAndDisconnect(open, message));
            }

            @Override
            public Collection<RoomId> rooms(SocketId id) {
                LocalSocket socket = memberships.socket(id);
                return socket == null ? List.of() : socket.rooms();
            }
        });
        rooms.listen(new LocalRooms.Listener() {
            @Override
            public void left(LocalRoom room, RoomChange.Left change) {
                memberships.left(room, change);
            }

            @Override
            public void counted(RoomId room, long count) {
                lobby.counted(room, count);
            }

            @Override
            public void ruled(LocalRoom room) {
                silences.watch(room);
            }

            @Override
            public void check(LocalRoom room) {
                checks.checkUntilAnswered(room);
            }
        });
    }

    /** Answers for the sockets of this node. */
    public LocalNode node() {
        return node;
    }

    // Steps of sockets

    /**
     * A socket has connected. If its user is certain, they are restored to the rooms that they were in moments ago.
     *
     * @param authenticated null if the user is unknown, or known only by the client's word
     * @param permitted the rooms that the socket may be in
     */
    public void connect(SocketId id, @Nullable UserId authenticated, Predicate<RoomId> permitted) {
        loop.execute(() -> {
            LocalSocket socket = open(id, authenticated, permitted);
            if (authenticated != null) {
                socket.queue.run(() -> joins.restore(socket, authenticated));
            }
        });
    }

    /**
     * A socket has moved here from another node. It is restored to no room, because its rooms are known: each follows
     * by {@link #takeOver} or {@link #restore}.
     */
    public void move(
            SocketId id, @Nullable UserId authenticated, Predicate<RoomId> permitted, Collection<RoomId> rooms) {
        loop.execute(() -> open(id, authenticated, permitted).awaited.addAll(rooms));
    }

    private LocalSocket open(SocketId id, @Nullable UserId authenticated, Predicate<RoomId> permitted) {
        StepQueue queue = new StepQueue(loop, answers, seats::sendHeartbeats);
        LocalSocket socket = new LocalSocket(id, authenticated, permitted, settings.roomsPerSocket(), queue);
        memberships.open(socket);
        return socket;
    }

    /**
     * Puts the socket's user into the room. Joining again is harmless.
     *
     * @param focus whether the user looks at the room from now on
     */
    public CompletionStage<Answer<JoinedRoom>> join(
            SocketId id, RoomId room, UserId user, Profile profile, boolean focus) {
        return step(id, user, (socket, reply) -> joins.join(socket, new Seat(room, user), profile, focus, null, reply));
    }

    /**
     * What is known about a socket's part in a room before it moved here from another node.
     *
     * @param since the room's revision when the socket joined, 0 if that is unknown
     * @param heard the latest revision that its client may know of, 0 if that is unknown
     * @param heardAgo how long ago its app last heard of a node for certain
     */
    public record Moved(boolean focus, boolean paused, long since, long heard, Duration heardAgo) {}

    /**
     * Joins the room for a socket that was in it before it moved. If it may not be in it now, or its user was removed
     * with all their sockets meanwhile, its client is told.
     */
    public CompletionStage<Answer<JoinedRoom>> takeOver(
            SocketId id, RoomId room, UserId user, Profile profile, Moved moved) {
        return step(id, (socket, reply) -> moves.takeOver(socket, new Seat(room, user), profile, moved, reply));
    }

    /**
     * Restores the user of a socket that moved. They were restored to the room before, and have not asked for it.
     *
     * @return false if presence is unavailable, and this has to be repeated
     */
    public CompletionStage<Boolean> restore(SocketId id, RoomId room, UserId user) {
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        stepIfOpen(id, socket -> moves.restore(socket, new Seat(room, user)).thenAccept(done::complete))
                .whenComplete((taken, failed) -> done.complete(true));
        return done;
    }

    /**
     * A socket of another node is gone: its app says so, because the node can no longer hear it. If its seat is kept
     * for the socket's return, it gets the grace period, or is free at once if the client left the room.
     *
     * @return false if too much waits for Redis; completes when Redis knows, or will be told
     */
    public CompletionStage<Boolean> departed(SocketId gone, RoomId room, UserId user, boolean left) {
        return Stages.begin(loop, () -> moves.departed(gone, new Seat(room, user), left));
    }

    /** The answer to a heartbeat that renewed a presence. */
    public record Beat(RoomId room, Instant expiresAt, Instant serverTime, Duration ttl) {}

    /** Keeps the socket's user in the room. */
    public CompletionStage<Answer<Beat>> heartbeat(SocketId id, RoomId room, UserId user) {
        CompletableFuture<Answer<Beat>> answer = new CompletableFuture<>();
        withSocket(
                id,
                answer,
                socket -> socket.queue.heartbeat(answer, reply -> stays.heartbeat(socket, new Seat(room, user))));
        return answer;
    }

    /** Removes the socket from the room, and the user with their last socket, or with all of them if they want that. */
    public CompletionStage<Answer<RoomId>> leave(SocketId id, RoomId room, UserId user, boolean everywhere) {
        return step(id, user, (socket, reply) -> leaves.leave(socket, new Seat(room, user), everywhere));
    }

    /** Changes the user's name or data in a room that the socket is in. What the profile does not have stays. */
    public CompletionStage<Answer<RoomId>> update(SocketId id, RoomId room, UserId user, Profile profile) {
        return step(id, user, (socket, reply) -> stays.update(socket, new Seat(room, user), profile));
    }

    /**
     * The socket's app went to the background: the user is away, unless another of their sockets is not paused.
     *
     * @param room null for all rooms of the socket
     * @return for each of these rooms, how long the user stays in it if the socket falls silent
     */
    public CompletionStage<Answer<Map<RoomId, Duration>>> pause(SocketId id, UserId user, @Nullable RoomId room) {
        return step(id, user, (socket, reply) -> stays.pause(socket, user, room));
    }

    /**
     * The socket's app is back: a heartbeat for each room.
     *
     * @param room null for all rooms of the socket
     * @return the rooms that the user is still in, each with the TTL of their presence
     */
    public CompletionStage<Answer<Map<RoomId, Duration>>> resume(SocketId id, UserId user, @Nullable RoomId room) {
        return step(id, user, (socket, reply) -> stays.resume(socket, user, room));
    }

    /** A page of the room's list, for a socket, after its earlier steps. */
    public CompletionStage<Answer<Listing>> list(SocketId id, RoomId room, @Nullable PageStart start, int limit) {
        return step(id, (socket, reply) -> listings.page(room, start, limit).thenApply(Answer::ok));
    }

    /** From now on the socket hears the counts of these rooms and of no others, in them or not. Answers with them. */
    public CompletionStage<Answer<Map<RoomId, Long>>> watch(SocketId id, List<RoomId> rooms) {
        return step(id, (socket, reply) -> lobby.watch(id, rooms).thenApply(Answer::ok));
    }

    /** Takes a step that is not presence's own for a socket, after the socket's earlier steps. */
    public <T> CompletionStage<Answer<T>> inOrder(SocketId id, Supplier<CompletionStage<Answer<T>>> step) {
        return step(id, (socket, reply) -> Stages.on(loop, step.get()));
    }

    /** Takes a step that is not presence's own for a socket and its user, after the socket's earlier steps. */
    public <T> CompletionStage<Answer<T>> inOrder(SocketId id, UserId user, Supplier<CompletionStage<Answer<T>>> step) {
        return step(id, user, (socket, reply) -> Stages.on(loop, step.get()));
    }

    /** Completes once the socket's steps so far are answered. */
    public CompletionStage<?> settled(SocketId id) {
        return inOrder(id, () -> CompletableFuture.completedFuture(Answer.ok(id)));
    }

    /** From now on the socket may be in these rooms only. It is removed from the others as {@code kicked}. */
    public CompletionStage<Void> restrict(SocketId id, Predicate<RoomId> permitted) {
        return stepIfOpen(id, socket -> leaves.restrict(socket, permitted));
    }

    /**
     * The socket is gone. The seats that it alone held get a grace period. Completes when Redis knows, or will be told.
     *
     * @param mayBeAsleep whether a paused phone may still come back: its connection broke or fell silent, or the server
     *     closed it. It cannot do so within a grace period, so where the socket is paused, its user is held as away
     */
    public CompletionStage<Void> disconnect(SocketId id, boolean mayBeAsleep) {
        return stepIfOpen(id, socket -> leaves.disconnect(socket, mayBeAsleep));
    }

    /**
     * Every socket is gone, because the server stops. Completes once Redis has been told of each or has not answered;
     * true if it knows of all.
     */
    public CompletionStage<Boolean> disconnectAll() {
        return CompletableFuture.supplyAsync(memberships::sockets, loop)
                .thenCompose(open -> Stages.inBatches(open, AT_ONCE, socket -> disconnect(socket.id, true)))
                .thenApplyAsync(done -> departures.size() == 0, loop);
    }

    // Questions and orders of backends

    /** A page of the room's list. */
    public CompletionStage<Answer<Listing>> list(RoomId room, @Nullable PageStart start, int limit) {
        return answers.inTime(() -> listings.page(room, start, limit).thenApply(Answer::ok));
    }

    /** Removes a user from the room with all their sockets; {@code not_found} if they are not in it. */
    public CompletionStage<Answer<Seat>> kick(RoomId room, UserId user, @Nullable String message) {
        return answers.inTime(() -> leaves.kick(new Seat(room, user), message));
    }

    /** The settings of a room have changed. Reads its rules again if this node has sockets in it. */
    CompletionStage<Void> refreshRules(RoomId room) {
        return Stages.begin(loop, () -> rooms.refreshRules(room));
    }

    /** Whether the store has answered something in the last moment. */
    public boolean isAnswering() {
        return seats.isAnswering();
    }

    // How steps are taken

    private interface Step<T> {
        CompletionStage<Answer<T>> take(LocalSocket socket, Answers.Reply<T> reply);
    }

    private <T> CompletionStage<Answer<T>> step(SocketId id, Step<T> step) {
        CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
        withSocket(id, answer, socket -> socket.queue.answer(answer, reply -> step.take(socket, reply)));
        return answer;
    }

    /** Takes a step of a socket for a user, if the socket may be that user's. */
    private <T> CompletionStage<Answer<T>> step(SocketId id, UserId user, Step<T> step) {
        return step(
                id,
                (socket, reply) -> users.admit(id, user)
                        .thenCompose(admitted -> admitted instanceof Answer.Refused<UserId> refused
                                ? Answers.refused(refused.error())
                                : step.take(socket, reply)));
    }

    private <T> void withSocket(SocketId id, CompletableFuture<Answer<T>> answer, Consumer<LocalSocket> action) {
        loop.execute(() -> {
            LocalSocket socket = memberships.socket(id);
            if (socket == null) {
                // The socket has just disconnected, so it is in no room.
                answer.complete(Answer.refused(PresenceError.notInRoom()));
            } else {
                action.accept(socket);
            }
        });
    }

    /** Takes a step that needs no answer, if the socket is still open. */
    private CompletionStage<Void> stepIfOpen(SocketId id, Function<LocalSocket, CompletionStage<Void>> step) {
        return CompletableFuture.supplyAsync(() -> Optional.ofNullable(memberships.socket(id)), loop)
                .thenCompose(socket -> socket.isPresent()
                        ? socket.get().queue.run(() -> step.apply(socket.get()))
                        : CompletableFuture.completedFuture(null));
    }
}
