package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Beat;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PageStart;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
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
 * The life of a presence on one node: heartbeat, leave, disconnect, kick, list and count. {@link Joins} has join and restore.
 *
 * <p>Only the {@link Stores} know who is present. This class knows which local socket takes part in which room, so that the
 * right sockets are informed and the right presences end. That state lives on the {@link Loop}: public methods may be called
 * from any thread and complete on the loop.
 *
 * <p>Each socket has a {@link StepQueue}. A client gets its answer in time even if the store is silent; if the step succeeds
 * later, it is undone.
 */
public final class Presence {
    private static final int AT_ONCE = 1000;
    private static final int JOINS_AT_ONCE = 200;

    private final SeatStore seats;
    private final RoomStore store;
    private final Clients clients;
    private final Loop loop;
    private final InstantSource clock;
    private final PresenceSettings settings;
    private final UserListener users;
    private final Answers answers;
    private final Departures departures;
    private final SharedQuery<RoomStore.Headcount> counts;
    private final Listings listings;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final RoomChecks checks;
    private final Joins joins;
    private final Pacer joinPacer;
    private final Lobby lobby;
    private final LocalNode node;

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
        this.seats = stores.seats();
        this.store = stores.rooms();
        this.clients = clients;
        this.loop = loop;
        this.clock = clock;
        this.settings = settings;
        this.users = users;
        answers = new Answers(loop, seats::isAnswering);
        joinPacer = new Pacer(JOINS_AT_ONCE, loop);
        departures = new Departures(seats, loop, Departures.MOST);
        counts = new SharedQuery<>(store::count, loop);
        RoomRecord record = new RoomRecord(self, stores.nodeRooms(), departures, loop);
        rooms = new LocalRooms(stores, feed, record, clients, counts, loop, settings);
        listings = new Listings(store, rooms, counts, loop, clock);
        memberships = new Memberships(store, rooms, clients, loop, clock, settings, users);
        checks = new RoomChecks(store, rooms, memberships, loop);
        Silences silences = new Silences(seats, rooms, clients, loop, clock);
        lobby = new Lobby(store, rooms, clients, loop);
        joins = new Joins(
                stores,
                clients,
                loop,
                settings,
                users,
                counts,
                listings,
                rooms,
                memberships,
                checks,
                departures,
                silences);
        node = new LocalNode(self, stores, rooms, record, memberships, departures, checks, loop, joins::adopt);
        users.attach(new UserListener.Sockets() {
            @Override
            public void disconnect(SocketId socket, String message) {
                kickAndDisconnect(socket, message);
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
            public void compare(LocalRoom room) {
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
     * A socket has connected. If its user is certain, it is restored to the rooms that it was in moments ago.
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
     * A socket has moved here from another node. It is restored to no room, because its rooms are known: each follows by
     * {@link #takeOver} or {@link #restore}.
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
        return step(
                id,
                user,
                (socket, reply) ->
                        joinPacer.take(() -> joins.join(socket, new Seat(room, user), profile, focus, reply)));
    }

    /**
     * What a socket that moved here from another node was in a room.
     *
     * @param since the room's revision when the socket joined, 0 if that is unknown
     * @param heard the latest revision that its client may know of, 0 if that is unknown
     * @param heardAgo how long ago its app last heard of a node for certain
     */
    public record Moved(boolean focus, boolean paused, long since, long heard, Duration heardAgo) {}

    /**
     * Joins the room for a socket that was in it before it moved. If it may not be in it now, or its user was removed with all their
     * sockets meanwhile, its client is told.
     */
    public CompletionStage<Answer<JoinedRoom>> takeOver(
            SocketId id, RoomId room, UserId user, Profile profile, Moved moved) {
        Seat seat = new Seat(room, user);
        Step<JoinedRoom> step = (socket, reply) -> {
            Membership known = socket.memberships.get(seat);
            if (socket.knowsAbsence(room) || (known != null && known.isAccepted())) {
                // The client left or joined the room since the first attempt.
                return refused(PresenceError.notInRoom());
            }
            return joinPacer
                    .take(() -> joins.takeOver(socket, seat, profile, moved, reply))
                    .thenCompose(answer -> {
                        if (answer instanceof Answer.Refused<JoinedRoom> refused) {
                            memberships.notTakenOver(socket, room, refused.error());
                        } else if (moved.paused()) {
                            return eachRoom(socket, user, room, this::pause).thenApply(done -> answer);
                        }
                        return CompletableFuture.completedFuture(answer);
                    });
        };
        return step(
                id,
                (socket, reply) -> users.admitMoved(id, user)
                        .thenCompose(admitted -> admitted instanceof Answer.Refused<UserId> refused
                                ? refused(refused.error())
                                : step.take(socket, reply).thenApply(answer -> {
                                    if (!isUnavailable(answer)) {
                                        socket.awaited.remove(room);
                                    }
                                    return answer;
                                })));
    }

    private static boolean isUnavailable(Answer<?> answer) {
        return answer instanceof Answer.Refused<?> refused && refused.error().code() == ErrorCode.PRESENCE_UNAVAILABLE;
    }

    /**
     * Restores the user of a socket that moved to a room to which they were restored before, and which they did not ask for.
     *
     * @return false if presence is unavailable, and this has to be repeated
     */
    public CompletionStage<Boolean> restore(SocketId id, RoomId room, UserId user) {
        Seat seat = new Seat(room, user);
        CompletableFuture<Boolean> done = new CompletableFuture<>();
        stepIfOpen(id, socket -> {
                    if (socket.knowsAbsence(room) || socket.memberships.containsKey(seat)) {
                        done.complete(true);
                        return CompletableFuture.completedFuture(null);
                    }
                    return users.admitMoved(id, user)
                            .thenCompose(admitted -> admitted instanceof Answer.Ok
                                    ? joins.restore(socket, seat, null).thenApply(restored -> {
                                        if (restored) {
                                            socket.awaited.remove(room);
                                        }
                                        return restored;
                                    })
                                    : CompletableFuture.completedFuture(!isUnavailable(admitted)))
                            .thenAccept(done::complete);
                })
                .whenComplete((taken, failed) -> done.complete(true));
        return done;
    }

    /**
     * A socket of another node is gone: its app says so, because the node can no longer hear it. Its seat, if it is kept for the
     * socket's return, gets the grace period, or is free at once if the client left the room. Completes when Redis knows, or will
     * be told; false if too much waits for Redis.
     */
    public CompletionStage<Boolean> departed(SocketId gone, RoomId room, UserId user, boolean left) {
        Departures.Kind kind = left ? Departures.Kind.LEAVE : Departures.Kind.DISCONNECT;
        Departures.Departure departure = new Departures.Departure(kind, new Seat(room, user), Holder.gone(gone), true);
        return CompletableFuture.supplyAsync(() -> departures.carryOut(departure), loop)
                .thenCompose(carried -> carried)
                .handleAsync((done, failed) -> failed == null || departures.add(departure), loop);
    }

    /** Keeps the socket's user in the room. */
    public CompletionStage<Answer<Beat>> heartbeat(SocketId id, RoomId room, UserId user) {
        CompletableFuture<Answer<Beat>> answer = new CompletableFuture<>();
        withSocket(
                id, answer, socket -> socket.queue.heartbeat(answer, reply -> heartbeat(socket, new Seat(room, user))));
        return answer;
    }

    /** Removes the socket from the room, and the user with their last socket, or with all of them if they want that. */
    public CompletionStage<Answer<RoomId>> leave(SocketId id, RoomId room, UserId user, boolean everywhere) {
        return step(id, user, (socket, reply) -> leave(socket, new Seat(room, user), everywhere));
    }

    /** Changes the user's name or data in a room that the socket is in. What the profile does not have stays. */
    public CompletionStage<Answer<RoomId>> update(SocketId id, RoomId room, UserId user, Profile profile) {
        return step(id, user, (socket, reply) -> update(socket, new Seat(room, user), profile));
    }

    /**
     * The socket's app went to the background: the user is away, unless another of their sockets is not paused.
     *
     * @param room null for all rooms of the socket
     * @return for each of these rooms, how long the user stays in it if the socket falls silent
     */
    public CompletionStage<Answer<Map<RoomId, Duration>>> pause(SocketId id, UserId user, @Nullable RoomId room) {
        return step(id, user, (socket, reply) -> eachRoom(socket, user, room, this::pause));
    }

    /**
     * The socket's app is back: a heartbeat for each room.
     *
     * @param room null for all rooms of the socket
     * @return the rooms that the user is still in, each with the TTL of their presence
     */
    public CompletionStage<Answer<Map<RoomId, Duration>>> resume(SocketId id, UserId user, @Nullable RoomId room) {
        return step(id, user, (socket, reply) -> eachRoom(socket, user, room, this::renew));
    }

    /** A page of the room's list, for a socket, after its earlier steps. */
    public CompletionStage<Answer<Listing>> list(SocketId id, RoomId room, @Nullable PageStart start, int limit) {
        return step(id, (socket, reply) -> listings.page(room, start, limit).thenApply(Answer::ok));
    }

    /** From now on the socket hears the counts of these rooms and of no others, without being in them. Answers with them. */
    public CompletionStage<Answer<Map<RoomId, Long>>> watch(SocketId id, List<RoomId> rooms) {
        return step(id, (socket, reply) -> lobby.watch(id, rooms).thenApply(Answer::ok));
    }

    /** Takes a step that is not presence's own for a socket, after the socket's earlier steps. */
    public <T> CompletionStage<Answer<T>> inOrder(SocketId id, Supplier<CompletionStage<Answer<T>>> step) {
        return step(id, (socket, reply) -> onLoop(step.get()));
    }

    /** Takes a step that is not presence's own for a socket and its user, after the socket's earlier steps. */
    public <T> CompletionStage<Answer<T>> inOrder(SocketId id, UserId user, Supplier<CompletionStage<Answer<T>>> step) {
        return step(id, user, (socket, reply) -> onLoop(step.get()));
    }

    /** Completes once the socket's steps so far are answered. */
    public CompletionStage<?> settled(SocketId id) {
        return inOrder(id, () -> CompletableFuture.completedFuture(Answer.ok(id)));
    }

    /** From now on the socket may be in these rooms only. It is kicked from the others. */
    public CompletionStage<Void> restrict(SocketId id, Predicate<RoomId> permitted) {
        return stepIfOpen(id, socket -> {
            socket.restrict(permitted);
            lobby.restrict(id, permitted);
            List<Membership> forbidden = socket.memberships.values().stream()
                    .filter(membership -> !socket.permits(membership.seat.room()))
                    .toList();
            return Stages.all(List.of(
                    users.restrict(id, permitted), departAll(memberships.kick(forbidden, null), Departures.Kind.KICK)));
        });
    }

    /** The socket is gone: its client closed it. */
    public CompletionStage<Void> disconnect(SocketId id) {
        return disconnect(id, false);
    }

    /**
     * The socket is gone. The seats that it alone held get a grace period. Completes when Redis knows, or will be told.
     *
     * @param silently whether the connection broke, or nothing came from it any more. A paused socket may do so because its
     *     phone sleeps, so its user is held as away
     */
    public CompletionStage<Void> disconnect(SocketId id, boolean silently) {
        return stepIfOpen(id, socket -> disconnect(socket, silently));
    }

    /**
     * Every socket is gone, because the server stops. Completes when Redis knows of all, or could not be told. The phone of a
     * paused socket may be asleep and cannot come back within a grace period.
     */
    public CompletionStage<Void> disconnectAll() {
        return CompletableFuture.supplyAsync(memberships::sockets, loop)
                .thenCompose(open -> Stages.inBatches(open, AT_ONCE, socket -> disconnect(socket.id, true)));
    }

    // Questions and orders of backends

    /** A page of the room's list. */
    public CompletionStage<Answer<Listing>> list(RoomId room, @Nullable PageStart start, int limit) {
        return answers.inTime(() -> listings.page(room, start, limit).thenApply(Answer::ok));
    }

    /** How many participants the room has. */
    public CompletionStage<Answer<Long>> count(RoomId room) {
        return answers.inTime(() -> counts.about(room).thenApply(count -> Answer.ok(count.alive())));
    }

    /** Removes a user from the room with all their sockets; {@code not_found} if they are not in it. */
    public CompletionStage<Answer<Seat>> kick(RoomId room, UserId user, @Nullable String message) {
        Seat seat = new Seat(room, user);
        PresenceError absent = PresenceError.of(ErrorCode.NOT_FOUND, "the user is not in the room");
        return answers.inTime(() -> onLoop(seats.remove(seat, LeaveReason.KICKED, message))
                .thenCompose(
                        removed -> removed ? users.kicked(seat).thenApply(done -> Answer.ok(seat)) : refused(absent)));
    }

    /** The settings of a room have changed. Reads its rules again if this node has sockets in it. */
    CompletionStage<Void> refreshRules(RoomId room) {
        return CompletableFuture.supplyAsync(() -> rooms.refreshRules(room), loop)
                .thenCompose(refreshed -> refreshed);
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
                                ? refused(refused.error())
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

    // Heartbeat

    private CompletionStage<Answer<Beat>> heartbeat(LocalSocket socket, Seat seat) {
        Membership membership = socket.memberships.get(seat);
        if (membership == null) {
            return strayHeartbeat(socket, seat);
        }
        if (!membership.isAccepted()) {
            return refused(PresenceError.unavailable());
        }
        return renew(membership).thenCompose(renewed -> {
            if (renewed.isEmpty()) {
                return refused(PresenceError.notInRoom());
            }
            return CompletableFuture.completedFuture(Answer.ok(beat(seat.room(), renewed.get())));
        });
    }

    /** Renews a presence; completes with its TTL, or with nothing if it was gone and the membership has ended. */
    private CompletionStage<Optional<Duration>> renew(Membership membership) {
        Seat seat = membership.seat;
        membership.confirm();
        long sent = loop.nanos();
        Duration ttl = memberships.rules(seat.room()).ttl();
        CompletionStage<Optional<Duration>> renewed = membership.isPaused()
                ? seats.resume(seat, membership.socket.id)
                : seats.heartbeat(seat, ttl).thenApply(alive -> alive ? Optional.of(ttl) : Optional.empty());
        return onLoop(renewed).thenCompose(left -> {
            if (left.isEmpty()) {
                return memberships.expireSoon(membership).thenApply(expired -> left);
            }
            membership.heartbeat(sent);
            return CompletableFuture.completedFuture(left);
        });
    }

    /**
     * A heartbeat for a room that this socket never joined. It brings back a user who is away, for example a phone that woke
     * up. Otherwise the client is told, once, that its user is not in the room, unless they are there with another socket.
     */
    private CompletionStage<Answer<Beat>> strayHeartbeat(LocalSocket socket, Seat seat) {
        RoomId room = seat.room();
        if (socket.knowsAbsence(room)) {
            return refused(PresenceError.notInRoom());
        }
        return onLoop(seats.keeper(seat)).thenCompose(keeper -> {
            if (keeper == SeatStore.Keeper.AWAY) {
                return comeBack(socket, seat);
            }
            // Heartbeats overlap, so an earlier one may have told it meanwhile.
            if (keeper == SeatStore.Keeper.NOTHING && !socket.knowsAbsence(room)) {
                memberships.sendNotInRoom(socket, room);
            }
            return refused(PresenceError.notInRoom());
        });
    }

    private CompletionStage<Answer<Beat>> comeBack(LocalSocket socket, Seat seat) {
        Profile unchanged = new Profile(null, Username.of(seat.user()));
        Answers.Reply<JoinedRoom> reply = answers.reply(new CompletableFuture<>(), since -> false);
        CompletionStage<Answer<JoinedRoom>> joined = joins.join(socket, seat, unchanged, false, reply);
        reply.giveAfter(joined);
        return joined.thenApply(answer -> answer.map(room -> beat(seat.room(), room.ttl())));
    }

    private Beat beat(RoomId room, Duration ttl) {
        Instant now = clock.instant();
        return new Beat(room, now.plus(ttl), now, ttl);
    }

    // Update, pause and resume

    private CompletionStage<Answer<RoomId>> update(LocalSocket socket, Seat seat, Profile profile) {
        Membership membership = socket.memberships.get(seat);
        if (membership == null) {
            return refused(PresenceError.notInRoom());
        }
        if (!membership.isAccepted()) {
            return refused(PresenceError.unavailable());
        }
        return onLoop(seats.update(seat, profile)).thenCompose(present -> {
            if (!present) {
                return memberships.expireSoon(membership).thenCompose(expired -> refused(PresenceError.notInRoom()));
            }
            return CompletableFuture.completedFuture(Answer.ok(seat.room()));
        });
    }

    /** Takes a step for a room of the socket, or for each; only rooms for which it answers are in the result. */
    private CompletionStage<Answer<Map<RoomId, Duration>>> eachRoom(
            LocalSocket socket,
            UserId user,
            @Nullable RoomId only,
            Function<Membership, CompletionStage<Optional<Duration>>> step) {
        Map<RoomId, Duration> rooms = new LinkedHashMap<>();
        List<CompletionStage<Void>> taken = new ArrayList<>();
        for (Membership membership : List.copyOf(socket.memberships.values())) {
            RoomId room = membership.seat.room();
            boolean meant = only == null || only.equals(room);
            if (meant && membership.isAccepted() && membership.seat.user().equals(user)) {
                taken.add(step.apply(membership)
                        .thenAccept(answer -> answer.ifPresent(duration -> rooms.put(room, duration))));
            }
        }
        if (only != null && taken.isEmpty()) {
            return refused(PresenceError.notInRoom());
        }
        return Stages.all(taken)
                .thenApply(done ->
                        only != null && rooms.isEmpty() ? Answer.refused(PresenceError.notInRoom()) : Answer.ok(rooms));
    }

    /** From now on the socket is paused, even if Redis cannot be told: then the next check does it. */
    private CompletionStage<Optional<Duration>> pause(Membership membership) {
        membership.pause();
        CompletionStage<Void> blurred = users.left(membership.socket.id, membership.seat);
        return onLoop(seats.pause(membership.seat, membership.socket.id))
                .whenComplete((away, failed) -> {
                    if (failed != null) {
                        rooms.checkSoon(membership.seat.room());
                    }
                })
                .thenCombine(blurred, (away, done) -> away)
                .thenCompose(away -> away.isEmpty()
                        ? memberships.expireSoon(membership).thenApply(expired -> away)
                        : CompletableFuture.completedFuture(away));
    }

    // Leave and disconnect

    private CompletionStage<Answer<RoomId>> leave(LocalSocket socket, Seat seat, boolean everywhere) {
        Membership membership = socket.memberships.get(seat);
        socket.recordAbsence(seat.room());
        if (membership != null) {
            memberships.end(membership);
        }
        CompletionStage<Void> blurred = users.left(socket.id, seat);
        if (membership == null && !everywhere) {
            return blurred.thenApply(done -> Answer.ok(seat.room()));
        }
        Departures.Kind kind = everywhere ? Departures.Kind.LEAVE_EVERYWHERE : Departures.Kind.LEAVE;
        boolean unsure = membership != null && membership.isUnsure();
        Holder holder = new Holder(socket.id, socket.nextTurn());
        Departures.Departure departure = new Departures.Departure(kind, seat, holder, unsure);
        if (membership != null && !everywhere) {
            return depart(departure).thenApply(done -> Answer.ok(seat.room()));
        }
        return onLoop(departures.carryOut(departure)).handle((done, failed) -> {
            boolean heard = failed == null || (!joins.hasTooManyDepartures(socket, seat) && departures.add(departure));
            return heard ? Answer.ok(seat.room()) : Answer.refused(PresenceError.unavailable());
        });
    }

    private CompletionStage<Void> disconnect(LocalSocket socket, boolean silently) {
        List<Membership> held = List.copyOf(socket.memberships.values());
        List<RoomId> accepted = held.stream()
                .filter(Membership::isAccepted)
                .map(membership -> membership.seat.room())
                .toList();
        if (socket.authenticated != null && !accepted.isEmpty()) {
            seats.rememberRooms(socket.authenticated, accepted);
        }
        Departures.Kind kind = silently ? Departures.Kind.SUSPEND : Departures.Kind.DISCONNECT;
        CompletionStage<Void> gone = users.disconnected(socket.id);
        held.forEach(memberships::end);
        lobby.forget(socket.id);
        return Stages.all(List.of(gone, departAll(held, kind))).thenRun(() -> memberships.close(socket));
    }

    /**
     * Disconnects a socket against its client's will: kicks it from its rooms, tells it, and closes it.
     *
     * @param message what the client is told, empty for the standard text
     */
    private void kickAndDisconnect(SocketId id, String message) {
        stepIfOpen(id, socket -> {
            List<Membership> kicked = memberships.kickAll(socket, message.isEmpty() ? null : message);
            clients.disconnect(id);
            return departAll(kicked, Departures.Kind.KICK);
        });
    }

    private CompletionStage<Void> departAll(List<Membership> ended, Departures.Kind kind) {
        List<CompletionStage<Void>> departing = new ArrayList<>();
        for (Membership membership : ended) {
            Holder holder = new Holder(membership.socket.id, membership.socket.nextTurn());
            Departures.Kind own = membership.isAccepted() ? kind : Departures.Kind.UNDO;
            if (own == Departures.Kind.SUSPEND && !membership.isPaused()) {
                own = Departures.Kind.DISCONNECT;
            }
            departing.add(depart(new Departures.Departure(own, membership.seat, holder, membership.isUnsure())));
        }
        return Stages.all(departing);
    }

    /** Never fails: a departure that does not reach Redis now is repeated later, or found by the sweep. */
    private CompletionStage<Void> depart(Departures.Departure departure) {
        return onLoop(departures.carryOut(departure)).exceptionally(failed -> {
            departures.add(departure);
            return null;
        });
    }

    private <T> CompletionStage<T> onLoop(CompletionStage<T> stage) {
        return Stages.on(loop, stage);
    }

    private static <T> CompletionStage<Answer<T>> refused(PresenceError error) {
        return CompletableFuture.completedFuture(Answer.refused(error));
    }
}
