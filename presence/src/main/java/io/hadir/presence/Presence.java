package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Beat;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomChange;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The life of a presence, from join to leave, on one node.
 *
 * <p>Who is present is known to the {@link PresenceStore} alone. What is kept here is which local socket takes part in
 * which room, so that the right sockets are told and the right presences are let go. All of it lives on the {@link
 * Loop}: public methods may be called from any thread, hand over to the loop, and complete there.
 *
 * <p>The steps of one socket are taken one after the other. A client gets its answer in time even if the store does not
 * give one; whatever comes of the step later is put right.
 */
public final class Presence {
    private static final int AT_ONCE = 1000;

    /** A client that was told to try a join again does so within this time, or does not want to any more. */
    private static final Duration RETRIED_WITHIN = PresenceError.RETRY_AFTER.plusSeconds(3);

    private final PresenceStore store;
    private final LocalSockets sockets;
    private final Loop loop;
    private final InstantSource clock;
    private final PresenceSettings settings;
    private final UserVisits visits;
    private final Departures departures;
    private final Coalesced<PresenceStore.Headcount> counts;
    private final Listings listings;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final RoomChecks checks;
    private final Steps steps;

    public Presence(
            PresenceStore store,
            RoomFeed feed,
            LocalSockets sockets,
            Loop loop,
            InstantSource clock,
            PresenceSettings settings,
            UserVisits visits) {
        this.store = store;
        this.sockets = sockets;
        this.loop = loop;
        this.clock = clock;
        this.settings = settings;
        this.visits = visits;
        departures = new Departures(store, loop, Departures.MOST);
        counts = new Coalesced<>(store::count, loop);
        rooms = new LocalRooms(store, feed, sockets, counts, loop, settings);
        listings = new Listings(store, rooms, counts, loop);
        memberships = new Memberships(store, rooms, sockets, loop, clock, settings, visits);
        steps = new Steps(loop, memberships, visits);
        checks = new RoomChecks(store, rooms, memberships, loop);
        visits.onExpelled(this::expel);
        rooms.listen(new LocalRooms.Listener() {
            @Override
            public void left(LocalRoom room, RoomChange.Left change) {
                memberships.left(room, change);
            }

            @Override
            public void compare(LocalRoom room) {
                checks.checkUntilAnswered(room);
            }
        });
    }

    /**
     * A socket is there. If its user is known beyond doubt, it is put back into the rooms that it was in moments ago.
     *
     * @param authenticated null if the user is not known, or only by the client's word
     * @param permitted the rooms that it may be in
     */
    public void connect(SocketId socket, @Nullable UserId authenticated, Predicate<RoomId> permitted) {
        loop.execute(() -> {
            Session session = new Session(socket, authenticated, permitted, settings.roomsPerSocket());
            memberships.open(session);
            if (authenticated != null) {
                session.inOrder(() -> restore(session, authenticated));
            }
        });
    }

    /**
     * Puts the socket's user into the room. Joining again is harmless.
     *
     * @param focus whether the user looks at the room from now on
     */
    public CompletionStage<Answer<JoinedRoom>> join(
            SocketId socket, RoomId room, UserId user, Profile profile, boolean focus) {
        return steps.inOrder(
                socket, user, (session, reply) -> join(session, new Seat(room, user), profile, focus, reply));
    }

    /** Keeps the socket's user in the room. */
    public CompletionStage<Answer<Beat>> heartbeat(SocketId socket, RoomId room, UserId user) {
        return steps.heartbeat(socket, session -> heartbeat(session, new Seat(room, user)));
    }

    /** Takes the socket out of the room, and the user with its last socket, or with all of them if it wants that. */
    public CompletionStage<Answer<RoomId>> leave(SocketId socket, RoomId room, UserId user, boolean everywhere) {
        return steps.inOrder(socket, user, (session, reply) -> leave(session, new Seat(room, user), everywhere));
    }

    /** The socket is gone. What it alone held lives on for the grace. Completes when Redis knows, or will be told. */
    public CompletionStage<Void> disconnect(SocketId socket) {
        return steps.inOrderIfThere(socket, this::disconnect);
    }

    /** From now on the socket may be in these rooms only; it is put out of the others, and told. */
    public CompletionStage<Void> restrict(SocketId socket, Predicate<RoomId> permitted) {
        return steps.inOrderIfThere(
                socket,
                session -> Stages.all(List.of(
                        visits.restrict(socket, permitted),
                        departAll(memberships.restrict(session, permitted), Departures.Kind.LEAVE))));
    }

    /**
     * Disconnects a socket against its client's will: kicks it from its rooms, tells it, and closes it.
     *
     * @param message what it is told, empty for the usual words
     */
    private void expel(SocketId socket, String message) {
        steps.inOrderIfThere(socket, session -> {
            List<Membership> lost = memberships.expel(session, message);
            sockets.disconnect(socket);
            return departAll(lost, Departures.Kind.KICK);
        });
    }

    /** Every socket is gone, because the server is going. Completes when Redis knows of all, or could not be told. */
    public CompletionStage<Void> disconnectAll() {
        return CompletableFuture.supplyAsync(memberships::sessions, loop)
                .thenCompose(open -> Stages.inBatches(open, AT_ONCE, session -> disconnect(session.id)));
    }

    /** A page of the room's list, for a socket, after what that socket did before. */
    public CompletionStage<Answer<Listing>> list(SocketId socket, RoomId room, @Nullable Position after, int limit) {
        return steps.inOrder(
                socket, (session, reply) -> listings.page(room, after, limit).thenApply(Answer::ok));
    }

    /** A page of the room's list. */
    public CompletionStage<Answer<Listing>> list(RoomId room, @Nullable Position after, int limit) {
        return steps.inTime(() -> listings.page(room, after, limit).thenApply(Answer::ok));
    }

    /** Takes a step that is not presence's own for a socket and its user, after what that socket did before. */
    public <T> CompletionStage<Answer<T>> inOrder(
            SocketId socket, UserId user, Supplier<CompletionStage<Answer<T>>> step) {
        return steps.inOrder(socket, user, (session, reply) -> onLoop(step.get()));
    }

    /** How many are in the room. */
    public CompletionStage<Answer<Long>> count(RoomId room) {
        return steps.inTime(() -> counts.about(room).thenApply(count -> Answer.ok(count.alive())));
    }

    /** Puts a user out of the room with all its sockets; {@code not_found} if it is not there. */
    public CompletionStage<Answer<Seat>> kick(RoomId room, UserId user, @Nullable String message) {
        Seat seat = new Seat(room, user);
        PresenceError absent = PresenceError.of(ErrorCode.NOT_FOUND, "the user is not in the room");
        return steps.inTime(() -> onLoop(store.remove(seat, LeaveReason.KICKED, message))
                .thenCompose(
                        removed -> removed ? visits.kicked(seat).thenApply(done -> Answer.ok(seat)) : refused(absent)));
    }

    private CompletionStage<Answer<JoinedRoom>> join(
            Session session, Seat seat, Profile profile, boolean focus, Reply<JoinedRoom> reply) {
        if (reply.isRefused()) {
            return refused(PresenceError.unavailable());
        }
        if (!session.permits(seat.room())) {
            return refused(PresenceError.forbiddenRoom());
        }
        Membership known = session.memberships.get(seat);
        if (known == null) {
            if (isInAllItMay(session)) {
                return refused(PresenceError.of(ErrorCode.LIMIT_EXCEEDED, "the socket is in as many rooms as it may"));
            }
            if (departures.isFull() || hasTooManyDepartures(session, seat)) {
                return refused(PresenceError.unavailable());
            }
        }
        Membership membership = known != null ? known : new Membership(session, seat);
        Holder holder = membership.claim();
        long sent = loop.nanos();
        CompletionStage<Void> subscribed = memberships.add(membership);
        return onLoop(joinOrMakeRoom(seat, holder, profile))
                .thenCombine(subscribed, (outcome, done) -> outcome)
                .thenCompose(outcome -> {
                    if (outcome instanceof JoinOutcome.Banned banned) {
                        membership.joinUnanswered();
                        if (!membership.isAccepted()) {
                            memberships.end(membership);
                        } else {
                            memberships.endIfOver(membership);
                        }
                        return refused(PresenceError.banned(banned.ban()));
                    }
                    if (!(outcome instanceof JoinOutcome.Joined joined)) {
                        memberships.end(membership);
                        return refused(
                                outcome instanceof JoinOutcome.Full
                                        ? PresenceError.of(ErrorCode.ROOM_FULL, "the room is full")
                                        : PresenceError.unavailable());
                    }
                    membership.join(joined, sent, true);
                    session.forgetAbsence(seat.room());
                    departures.forget(seat, holder);
                    return enter(membership, joined, visits.joined(session.id, seat, focus), reply);
                })
                .handle((answer, failed) -> {
                    if (failed == null && !reply.isRefused()) {
                        if (answer instanceof Answer.Ok) {
                            membership.accept();
                        }
                        return answer;
                    }
                    joinUnanswered(membership, holder);
                    return Answer.refused(PresenceError.unavailable());
                });
    }

    private boolean isInAllItMay(Session session) {
        return session.memberships.size() >= settings.roomsPerSocket()
                && session.memberships.values().stream().allMatch(Membership::isAccepted);
    }

    /** Whether the socket may not be in another room because every room means a departure, and too many wait already. */
    private boolean hasTooManyDepartures(Session session, Seat another) {
        int others = departures.of(session.id) - (departures.isWaiting(session.id, another) ? 1 : 0);
        return session.memberships.size() + others >= settings.roomsPerSocket();
    }

    /**
     * The client was told that its join failed, although Redis may have taken it or may take it later. A socket that was
     * in the room stays there. Another join is taken back, but not at once: the client is about to try again, and the
     * others should not see its user come and go meanwhile.
     */
    private void joinUnanswered(Membership membership, Holder holder) {
        membership.joinUnanswered();
        if (!membership.isAccepted()) {
            loop.after(RETRIED_WITHIN, () -> {
                if (memberships.isCurrent(membership) && membership.holder().equals(holder)) {
                    undo(membership, holder);
                }
            });
        } else if (membership.isDoubtful()) {
            LocalRoom room = rooms.get(membership.seat.room());
            if (room != null) {
                checks.checkUntilAnswered(room);
            }
        }
    }

    /** A room may seem full because of users who are not there any more: they are told, and it is tried once more. */
    private CompletionStage<JoinOutcome> joinOrMakeRoom(Seat seat, Holder holder, Profile profile) {
        return onLoop(store.join(seat, holder, profile)).thenCompose(outcome -> {
            if (!(outcome instanceof JoinOutcome.Full)) {
                return CompletableFuture.completedFuture(outcome);
            }
            return counts.about(seat.room()).thenCompose(count -> {
                if (count.dead().isEmpty()) {
                    return CompletableFuture.completedFuture(outcome);
                }
                Map<UserId, Optional<LeaveReason>> dead = new HashMap<>();
                count.dead().forEach(user -> dead.put(user, Optional.empty()));
                return store.prune(seat.room(), dead).thenCompose(pruned -> store.join(seat, holder, profile));
            });
        });
    }

    /**
     * Lets the socket hear the room, and shows it the room as it is when everything else is done: what the socket is told
     * before that is in it.
     */
    private CompletionStage<Answer<JoinedRoom>> enter(
            Membership membership,
            JoinOutcome.Joined joined,
            CompletionStage<Void> looking,
            @Nullable Reply<JoinedRoom> reply) {
        Seat seat = membership.seat;
        SocketId socket = membership.session.id;
        LocalRoom room = rooms.get(seat.room());
        if (room == null || memberships.endIfOver(membership)) {
            return refused(PresenceError.notInRoom());
        }
        room.joined(joined);
        sockets.enter(socket, seat.room());
        CompletionStage<Void> noted = room.noted ? Stages.all(List.of()) : rooms.noteOccupied(room);
        return listings.newest(room).thenCompose(listing -> {
            room.coalescer.begin(listing.page().revision());
            if (reply != null) {
                reply.fallBackTo(Answer.ok(new JoinedRoom(seat, socket, listing, joined.ttl())));
            }
            // Alone in a room that was noted before: a sweep may have forgotten it since.
            CompletionStage<Void> again = listing.viewerCount() > 1 ? noted : rooms.noteOccupied(room);
            return again.thenCombine(looking, (done, looked) -> listing)
                    .thenCompose(shown -> listings.orNewest(shown, room))
                    .thenApply(shown -> Answer.ok(new JoinedRoom(seat, socket, shown, joined.ttl())));
        });
    }

    private CompletionStage<Answer<Beat>> heartbeat(Session session, Seat seat) {
        Membership membership = session.memberships.get(seat);
        if (membership == null) {
            return strayHeartbeat(session, seat);
        }
        if (!membership.isAccepted()) {
            return refused(PresenceError.unavailable());
        }
        membership.confirm();
        long sent = loop.nanos();
        Duration ttl = memberships.rules(seat.room()).ttl();
        return onLoop(store.heartbeat(seat, ttl)).thenCompose(alive -> {
            if (!alive) {
                return memberships.loseUnlessTold(membership).thenCompose(lost -> refused(PresenceError.notInRoom()));
            }
            membership.heartbeat(sent);
            Instant now = clock.instant();
            Beat beat = new Beat(seat.room(), now.plus(ttl), now, ttl);
            return CompletableFuture.completedFuture(Answer.ok(beat));
        });
    }

    /**
     * A client that believes to be in a room which it never joined must learn it, and its user see it: once, and only if the
     * user is not there with another socket.
     */
    private CompletionStage<Answer<Beat>> strayHeartbeat(Session session, Seat seat) {
        RoomId room = seat.room();
        if (session.knowsAbsence(room)) {
            return refused(PresenceError.notInRoom());
        }
        return onLoop(store.isHeld(seat)).thenCompose(held -> {
            if (!held) {
                LeaveReason reason = LeaveReason.PRESENCE_LOST;
                memberships.sendForceLeave(
                        session, room, reason, memberships.rules(room).message(reason, settings));
            }
            return refused(PresenceError.notInRoom());
        });
    }

    private CompletionStage<Answer<RoomId>> leave(Session session, Seat seat, boolean everywhere) {
        Membership membership = session.memberships.get(seat);
        session.noteAbsence(seat.room());
        if (membership != null) {
            memberships.end(membership);
        }
        CompletionStage<Void> looked = visits.left(session.id, seat);
        if (membership == null && !everywhere) {
            return looked.thenApply(done -> Answer.ok(seat.room()));
        }
        Departures.Kind kind = everywhere ? Departures.Kind.LEAVE_EVERYWHERE : Departures.Kind.LEAVE;
        boolean unsure = membership != null && membership.isUnsure();
        Holder holder = new Holder(session.id, session.nextTurn());
        Departures.Departure departure = new Departures.Departure(kind, seat, holder, unsure);
        if (membership != null && !everywhere) {
            return depart(departure).thenApply(done -> Answer.ok(seat.room()));
        }
        return onLoop(departures.carryOut(departure)).handle((done, failed) -> {
            boolean heard = failed == null || (!hasTooManyDepartures(session, seat) && departures.add(departure));
            return heard ? Answer.ok(seat.room()) : Answer.refused(PresenceError.unavailable());
        });
    }

    private CompletionStage<Void> disconnect(Session session) {
        List<Membership> held = List.copyOf(session.memberships.values());
        List<RoomId> accepted = held.stream()
                .filter(Membership::isAccepted)
                .map(membership -> membership.seat.room())
                .toList();
        if (session.authenticated != null && !accepted.isEmpty()) {
            store.rememberRooms(session.authenticated, accepted);
        }
        CompletionStage<Void> gone = visits.gone(session.id);
        held.forEach(memberships::end);
        return Stages.all(List.of(gone, departAll(held, Departures.Kind.DISCONNECT)))
                .thenRun(() -> memberships.close(session));
    }

    private CompletionStage<Void> departAll(List<Membership> ended, Departures.Kind kind) {
        List<CompletionStage<Void>> departing = new ArrayList<>();
        for (Membership membership : ended) {
            Holder holder = new Holder(membership.session.id, membership.session.nextTurn());
            Departures.Kind own = membership.isAccepted() ? kind : Departures.Kind.UNDO;
            departing.add(depart(new Departures.Departure(own, membership.seat, holder, membership.isUnsure())));
        }
        return Stages.all(departing);
    }

    private CompletionStage<Void> restore(Session session, UserId user) {
        return onLoop(store.rememberedRooms(user))
                .thenCompose(remembered -> {
                    List<CompletionStage<Void>> restored = new ArrayList<>();
                    remembered.stream()
                            .filter(session::permits)
                            .forEach(room -> restored.add(restore(session, new Seat(room, user))));
                    return Stages.all(restored);
                })
                .exceptionally(failed -> null);
    }

    private CompletionStage<Void> restore(Session session, Seat seat) {
        Membership membership = new Membership(session, seat);
        Holder holder = membership.claim();
        long sent = loop.nanos();
        CompletionStage<Void> subscribed = memberships.add(membership);
        return onLoop(store.restore(seat, holder))
                .thenCombine(subscribed, (outcome, done) -> outcome)
                .thenCompose(outcome -> {
                    if (outcome.isEmpty()) {
                        memberships.end(membership);
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    membership.join(outcome.get(), sent, false);
                    membership.accept();
                    session.forgetAbsence(seat.room());
                    CompletionStage<Void> noted = visits.joined(session.id, seat, false);
                    loop.after(settings.provisionalWithin(outcome.get().ttl()), () -> lapseRestored(membership));
                    return enter(membership, outcome.get(), noted, null).thenAccept(answer -> {
                        if (answer instanceof Answer.Ok<JoinedRoom> ok) {
                            sockets.send(session.id, new SocketMessage.Restored(ok.value()));
                        }
                    });
                })
                .exceptionally(failed -> {
                    undo(membership, holder);
                    return null;
                });
    }

    /** Nothing came from the client that was put back, so its user is not there. */
    private void lapseRestored(Membership membership) {
        Session session = membership.session;
        session.inOrder(() -> {
            if (membership.isConfirmed() || !memberships.isCurrent(membership)) {
                return CompletableFuture.<Void>completedFuture(null);
            }
            memberships.end(membership);
            Holder holder = new Holder(session.id, session.nextTurn());
            return store.leave(membership.seat, holder, LeaveReason.DISCONNECTED, false);
        });
    }

    /** Takes over a presence that another program wrote in the name of a socket that is here, if it is still alive. */
    public void adopt(Session session, Seat seat) {
        Membership membership = new Membership(session, seat);
        membership.adopt(loop.nanos());
        session.inOrder(() -> onLoop(store.check(seat.room(), List.of(membership.asClaim())))
                .thenCompose(checked -> {
                    if (!checked.alive().get(0)) {
                        return CompletableFuture.<Void>completedFuture(null);
                    }
                    sockets.enter(session.id, seat.room());
                    visits.joined(session.id, seat, false);
                    return memberships.add(membership);
                }));
    }

    /** This departure is never refused: what Redis does not hear now, it hears later, or the sweep sees it. */
    private CompletionStage<Void> depart(Departures.Departure departure) {
        return onLoop(departures.carryOut(departure)).exceptionally(failed -> {
            departures.add(departure);
            return null;
        });
    }

    /** The client was told that its join failed, so it must have failed, even if Redis takes the step later. */
    private void undo(Membership membership, Holder holder) {
        memberships.end(membership);
        departures.add(new Departures.Departure(Departures.Kind.UNDO, membership.seat, holder, true));
    }

    private <T> CompletionStage<T> onLoop(CompletionStage<T> stage) {
        return Stages.on(loop, stage);
    }

    private static <T> CompletionStage<Answer<T>> refused(PresenceError error) {
        return CompletableFuture.completedFuture(Answer.refused(error));
    }

    /** Checks one of this node's rooms, if it is one. */
    public CompletionStage<Void> check(LocalRoom room) {
        return checks.check(room);
    }

    public Memberships memberships() {
        return memberships;
    }

    public LocalRooms rooms() {
        return rooms;
    }

    public Departures departures() {
        return departures;
    }
}
