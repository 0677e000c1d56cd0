package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How sockets come into rooms: by a join, or by a restore after a reconnect. Lives on the loop. */
final class Joins {
    /** A client that was told to repeat a join does so within this time, or has given up. */
    private static final Duration RETRIED_WITHIN = PresenceError.RETRY_AFTER.plusSeconds(3);

    private static final int AT_ONCE = 200;

    /** How soon to try again what Redis did not answer. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final SeatStore seats;
    private final Loop loop;
    private final PresenceSettings settings;
    private final UserListener users;
    private final Listings listings;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final Departures departures;
    private final Pacer pacer;

    Joins(
            SeatStore seats,
            Loop loop,
            PresenceSettings settings,
            UserListener users,
            Listings listings,
            LocalRooms rooms,
            Memberships memberships,
            Departures departures) {
        this.seats = seats;
        this.loop = loop;
        this.settings = settings;
        this.users = users;
        this.listings = listings;
        this.rooms = rooms;
        this.memberships = memberships;
        this.departures = departures;
        pacer = new Pacer(AT_ONCE, loop);
    }

    /**
     * Puts the socket's user into the room, and answers with the room as it is then.
     *
     * @param moved what is known of the socket's part in the room before it moved here, null if it did not
     */
    CompletionStage<Answer<JoinedRoom>> join(
            LocalSocket socket,
            Seat seat,
            Profile profile,
            boolean focus,
            Presence.@Nullable Moved moved,
            Answers.Reply<JoinedRoom> reply) {
        return pacer.take(() -> joinNow(socket, seat, profile, focus, moved, reply));
    }

    /** Brings back a user who is held as away: a socket that never joined sent a heartbeat. */
    CompletionStage<Answer<JoinedRoom>> comeBack(LocalSocket socket, Seat seat) {
        Profile unchanged = new Profile(null, Username.of(seat.user()));
        Answers.Reply<JoinedRoom> reply = socket.queue.ownReply();
        CompletionStage<Answer<JoinedRoom>> joined = users.admit(socket.id, seat.user())
                .thenCompose(admitted -> admitted instanceof Answer.Refused<UserId> refused
                        ? Answers.refused(refused.error())
                        : joinNow(socket, seat, unchanged, false, null, reply));
        reply.giveAfter(joined);
        return joined;
    }

    private CompletionStage<Answer<JoinedRoom>> joinNow(
            LocalSocket socket,
            Seat seat,
            Profile profile,
            boolean focus,
            Presence.@Nullable Moved moved,
            Answers.Reply<JoinedRoom> reply) {
        if (reply.isRefused()) {
            return Answers.refused(PresenceError.unavailable());
        }
        if (!socket.permits(seat.room())) {
            return Answers.refused(PresenceError.forbiddenRoom());
        }
        Membership known = socket.memberships.get(seat);
        if (known == null) {
            if (socket.isAtRoomLimit()) {
                return Answers.refused(PresenceError.of(
                        ErrorCode.LIMIT_EXCEEDED, "the socket is already in as many rooms as it may join"));
            }
            if (departures.isFull() || departures.areTooMany(socket, seat)) {
                return Answers.refused(PresenceError.unavailable());
            }
        }
        Membership membership = known != null ? known : new Membership(socket, seat);
        Holder holder = membership.beginJoin();
        // If the revision is unknown, any removal that the store remembers may have come after the socket joined.
        long since = moved == null ? 0 : Math.max(1, moved.since());
        long sent = loop.nanos();
        // The feed comes first: the join lists the room, and the node must hear every change after that list.
        CompletionStage<Void> subscribed = memberships.add(membership);
        UserListener.Joining user = users.joining(socket.id, seat, focus);
        SeatStore.Join request = new SeatStore.Join(seat, holder, profile, since, null, user.update());
        return subscribed
                .thenCompose(done -> joinFreeingPlaces(request))
                .whenComplete((outcome, failed) -> {
                    if (failed != null) {
                        user.unknown();
                    }
                })
                .thenCompose(outcome -> {
                    if (outcome instanceof JoinOutcome.Joined joined) {
                        membership.join(joined, sent, true);
                        socket.forgetAbsence(seat.room());
                        departures.forget(seat, holder);
                        LocalRoom room = rooms.get(seat.room());
                        if (moved != null && room != null) {
                            rooms.takeOver(room, joined.revision(), moved);
                        }
                        return enter(membership, joined, user.joined(joined.user()), reply);
                    }
                    return joinRefused(membership, outcome);
                })
                .handle((answer, failed) -> {
                    // A late answer was given before the step ended. What the client was told holds, even if the rest
                    // fails.
                    Answer<JoinedRoom> given = reply.given();
                    if (given instanceof Answer.Ok || (given == null && answer instanceof Answer.Ok)) {
                        membership.accept();
                    } else if (given != null || failed != null) {
                        joinUnanswered(membership, holder);
                    }
                    return given != null
                            ? given
                            : failed == null ? answer : Answer.refused(PresenceError.unavailable());
                });
    }

    /** Joins. If the room seems full because of users whose presence is gone, announces those and tries once more. */
    private CompletionStage<JoinOutcome> joinFreeingPlaces(SeatStore.Join join) {
        return joinAndList(join).thenCompose(outcome -> {
            if (!(outcome instanceof JoinOutcome.Full)) {
                return CompletableFuture.completedFuture(outcome);
            }
            return rooms.announceDead(join.seat().room())
                    .thenCompose(any -> any ? joinAndList(join) : CompletableFuture.completedFuture(outcome));
        });
    }

    /**
     * Joins and lists the room in one step. Several sockets that join at once share a list afterwards, and so do those
     * that join a crowded room.
     */
    private CompletionStage<JoinOutcome> joinAndList(SeatStore.Join join) {
        LocalRoom room = rooms.get(join.seat().room());
        if (room == null) {
            return Stages.on(loop, seats.join(join));
        }
        SeatStore.ListRequest list = room.joining == 0 && !room.isCrowded() ? listings.request(room) : null;
        room.joining++;
        return Stages.on(loop, seats.join(join.listing(list))).whenComplete((outcome, failed) -> room.joining--);
    }

    private CompletionStage<Answer<JoinedRoom>> joinRefused(Membership membership, JoinOutcome outcome) {
        if (outcome instanceof JoinOutcome.Banned banned) {
            membership.joinUnanswered();
            if (!membership.isAccepted()) {
                memberships.end(membership);
            } else {
                memberships.endIfOver(membership);
            }
            return Answers.refused(PresenceError.banned(banned.ban()));
        }
        memberships.end(membership);
        if (outcome instanceof JoinOutcome.Removed removed) {
            memberships.removedMeanwhile(membership, removed);
            return Answers.refused(PresenceError.notInRoom());
        }
        return Answers.refused(
                outcome instanceof JoinOutcome.Full
                        ? PresenceError.of(ErrorCode.ROOM_FULL, "the room is full")
                        : PresenceError.unavailable());
    }

    /**
     * The client was told that its join failed, although Redis may have applied it or may still do so. A socket that
     * was in the room stays in it. Any other join is undone, but not at once: the client is about to repeat it, and the
     * others should not see its user come and go meanwhile.
     */
    private void joinUnanswered(Membership membership, Holder holder) {
        membership.joinUnanswered();
        if (!membership.isAccepted()) {
            loop.after(RETRIED_WITHIN, () -> {
                if (membership.isCurrent() && membership.holder().equals(holder)) {
                    undo(membership, holder);
                }
            });
        } else if (membership.isDoubtful()) {
            rooms.check(membership.seat.room());
        }
    }

    /** The client was told that its join failed, so it has no effect, even if Redis applies it later. */
    private void undo(Membership membership, Holder holder) {
        memberships.end(membership);
        departures.add(new Departures.Departure(Departures.Kind.UNDO, membership.seat, holder, true));
    }

    /**
     * Lets the socket hear the room, and answers with the room as it is after everything else is done. So the answer
     * includes every change that the socket heard before it.
     */
    private CompletionStage<Answer<JoinedRoom>> enter(
            Membership membership,
            JoinOutcome.Joined joined,
            CompletionStage<Void> focused,
            Answers.@Nullable Reply<JoinedRoom> reply) {
        Seat seat = membership.seat;
        LocalRoom room = rooms.get(seat.room());
        if (room == null || memberships.endIfOver(membership)) {
            return Answers.refused(PresenceError.notInRoom());
        }
        rooms.joined(room, joined);
        memberships.enter(membership, joined.revision());
        boolean inDirectory = room.isInDirectory;
        CompletionStage<Void> listed = inDirectory ? Stages.all(List.of()) : rooms.addToDirectory(room);
        CompletionStage<Listing> read =
                joined.view().map(view -> listings.of(room.id, view.first())).orElseGet(() -> listings.newest(room));
        return read.thenCompose(listing -> {
            room.coalescer.begin(listing.page().revision());
            // The user may be removed while the rest is awaited. Then the client has heard so.
            Supplier<CompletionStage<Answer<JoinedRoom>>> answer = () -> listings.orNewest(listing, room)
                    .thenApply(shown -> membership.isCurrent()
                            ? Answer.ok(new JoinedRoom(
                                    seat,
                                    membership.socket.id,
                                    shown,
                                    joined.rules().ttl()))
                            : Answer.refused(PresenceError.notInRoom()));
            if (reply != null) {
                reply.fallBackTo(answer);
            }
            // If the user is alone, a sweep may have removed the room from the directory since this node added it.
            CompletionStage<Void> again =
                    inDirectory && listing.viewerCount() <= 1 ? rooms.addToDirectory(room) : listed;
            return again.thenCombine(focused, (done, looked) -> answer).thenCompose(Supplier::get);
        });
    }

    /**
     * Restores a returning user to the rooms that they were in moments ago. If Redis does not answer, tries again, as
     * long as a grace period may last.
     */
    CompletionStage<Void> restore(LocalSocket socket, UserId user) {
        return restore(socket, user, loop.nanos() + settings.grace().toNanos());
    }

    private CompletionStage<Void> restore(LocalSocket socket, UserId user, long until) {
        return Stages.on(loop, seats.rememberedRooms(user))
                .thenCompose(remembered -> {
                    List<CompletableFuture<Boolean>> restored = new ArrayList<>();
                    remembered.forEach((room, ends) -> {
                        Seat seat = new Seat(room, user);
                        boolean known = socket.memberships.containsKey(seat) || socket.knowsAbsence(room);
                        if (!known && socket.permits(room)) {
                            restored.add(restore(socket, seat, ends).toCompletableFuture());
                        }
                    });
                    return Stages.all(restored)
                            .thenApply(done -> restored.stream().allMatch(CompletableFuture::join));
                })
                .exceptionally(failed -> false)
                .thenAccept(answered -> {
                    if (!answered && until - loop.nanos() > 0) {
                        again(socket, () -> restore(socket, user, until));
                    }
                });
    }

    /** Takes a step of a socket soon, if the socket is still there. */
    private void again(LocalSocket socket, Supplier<CompletionStage<Void>> step) {
        loop.after(AGAIN, () -> {
            if (memberships.socket(socket.id) == socket) {
                socket.queue.run(step);
            }
        });
    }

    /**
     * Restores a user to one room, if they are present in it or in their grace period; false if Redis does not answer.
     *
     * @param until the end of the grace period in which the user returned. Until then, this socket may join others on
     *     the seat; null if it moved here: then it always may
     */
    CompletionStage<Boolean> restore(LocalSocket socket, Seat seat, @Nullable Instant until) {
        Membership membership = new Membership(socket, seat);
        Holder holder = membership.beginJoin();
        long sent = loop.nanos();
        CompletionStage<Void> subscribed = memberships.add(membership);
        return Stages.on(loop, seats.restore(seat, holder, until))
                .thenCombine(subscribed, (outcome, done) -> outcome)
                .thenCompose(outcome -> {
                    if (outcome.isEmpty()) {
                        memberships.end(membership);
                        return CompletableFuture.completedFuture(true);
                    }
                    membership.join(outcome.get(), sent, false);
                    membership.accept();
                    socket.forgetAbsence(seat.room());
                    users.entered(socket.id, seat);
                    loop.after(
                            settings.provisionalWithin(outcome.get().rules().ttl()), () -> endUnconfirmed(membership));
                    return sendRestored(membership, outcome.get()).thenApply(done -> true);
                })
                .exceptionally(failed -> {
                    undo(membership, holder);
                    return false;
                });
    }

    /** Tells the client that it is back as soon as the room can be listed, unless it joins by itself before. */
    private CompletionStage<Void> sendRestored(Membership membership, JoinOutcome.Joined outcome) {
        if (!membership.isCurrent() || membership.isConfirmed()) {
            return CompletableFuture.completedFuture(null);
        }
        return enter(membership, outcome, Stages.all(List.of()), null)
                .thenAccept(answer -> {
                    if (answer instanceof Answer.Ok<JoinedRoom> ok) {
                        memberships.sendRestored(ok.value());
                    }
                })
                .exceptionally(failed -> {
                    again(membership.socket, () -> sendRestored(membership, outcome));
                    return null;
                });
    }

    /** Ends a restored membership whose client never asked for the room. */
    private void endUnconfirmed(Membership membership) {
        LocalSocket socket = membership.socket;
        socket.queue.run(() -> {
            if (membership.isConfirmed() || !membership.isCurrent()) {
                return CompletableFuture.<Void>completedFuture(null);
            }
            memberships.end(membership);
            Holder holder = new Holder(socket.id, socket.nextTurn());
            return seats.leave(membership.seat, holder, RemovalReason.DISCONNECTED, false);
        });
    }
}
