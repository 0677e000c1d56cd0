package io.hadir.presence;

import io.hadir.presence.Presence.Beat;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * How sockets stay in rooms: by heartbeats, or paused until they resume. A socket that stays may update its user's
 * entry. Lives on the loop.
 */
final class Stays {
    private final SeatStore seats;
    private final Loop loop;
    private final InstantSource clock;
    private final UserListener users;
    private final LocalRooms rooms;
    private final Memberships memberships;
    private final Joins joins;

    Stays(
            SeatStore seats,
            Loop loop,
            InstantSource clock,
            UserListener users,
            LocalRooms rooms,
            Memberships memberships,
            Joins joins) {
        this.seats = seats;
        this.loop = loop;
        this.clock = clock;
        this.users = users;
        this.rooms = rooms;
        this.memberships = memberships;
        this.joins = joins;
    }

    /** Keeps the socket's user in the room. */
    CompletionStage<Answer<Beat>> heartbeat(LocalSocket socket, Seat seat) {
        if (isComing(socket, seat)) {
            return Answers.refused(PresenceError.unavailable());
        }
        Membership membership = socket.memberships.get(seat);
        if (membership == null) {
            return strayHeartbeat(socket, seat);
        }
        return renew(membership)
                .thenApply(ttl -> ttl.map(left -> Answer.ok(beat(seat.room(), left)))
                        .orElseGet(() -> Answer.refused(PresenceError.notInRoom())));
    }

    /**
     * A heartbeat for a room that this socket never joined. It brings back a user who is held as away, for example
     * when a phone wakes up. Otherwise the client is told, once, that its user is not in the room, unless they are
     * there with another socket.
     */
    private CompletionStage<Answer<Beat>> strayHeartbeat(LocalSocket socket, Seat seat) {
        RoomId room = seat.room();
        if (socket.knowsAbsence(room)) {
            return Answers.refused(PresenceError.notInRoom());
        }
        return Stages.on(loop, seats.keeper(seat)).thenCompose(keeper -> {
            if (keeper == SeatStore.Keeper.AWAY) {
                return joins.comeBack(socket, seat).thenApply(answer -> answer.map(joined -> beat(room, joined.ttl())));
            }
            // Heartbeats overlap, so an earlier one may have told it meanwhile.
            if (keeper == SeatStore.Keeper.NOTHING && !socket.knowsAbsence(room)) {
                memberships.sendNotInRoom(socket, room);
            }
            return Answers.refused(PresenceError.notInRoom());
        });
    }

    private Beat beat(RoomId room, Duration ttl) {
        Instant now = clock.instant();
        return new Beat(room, now.plus(ttl), now, ttl);
    }

    /** Changes the user's name or data in a room that the socket is in. */
    CompletionStage<Answer<RoomId>> update(LocalSocket socket, Seat seat, Profile profile) {
        if (isComing(socket, seat)) {
            return Answers.refused(PresenceError.unavailable());
        }
        Membership membership = socket.memberships.get(seat);
        if (membership == null) {
            return Answers.refused(PresenceError.notInRoom());
        }
        return Stages.on(loop, seats.update(seat, profile)).thenCompose(present -> {
            if (!present) {
                return memberships
                        .expireSoon(membership)
                        .thenApply(expired -> Answer.refused(PresenceError.notInRoom()));
            }
            return CompletableFuture.completedFuture(Answer.ok(seat.room()));
        });
    }

    /**
     * Pauses the socket in its rooms; completes with how long its user stays in each of them if it falls silent.
     *
     * @param only null for all rooms of the socket
     */
    CompletionStage<Answer<Map<RoomId, Duration>>> pause(LocalSocket socket, UserId user, @Nullable RoomId only) {
        return eachRoom(socket, user, only, this::pause);
    }

    /**
     * Ends the pause of the socket in its rooms; completes with the TTL of each presence that is still there.
     *
     * @param only null for all rooms of the socket
     */
    CompletionStage<Answer<Map<RoomId, Duration>>> resume(LocalSocket socket, UserId user, @Nullable RoomId only) {
        return eachRoom(socket, user, only, this::renew);
    }

    /** Takes a step for a room of the socket, or for each; only rooms for which it answers are in the result. */
    private CompletionStage<Answer<Map<RoomId, Duration>>> eachRoom(
            LocalSocket socket,
            UserId user,
            @Nullable RoomId only,
            Function<Membership, CompletionStage<Optional<Duration>>> step) {
        Map<RoomId, Duration> answered = new LinkedHashMap<>();
        List<CompletionStage<Void>> taken = new ArrayList<>();
        for (Membership membership : List.copyOf(socket.memberships.values())) {
            RoomId room = membership.seat.room();
            boolean meant = only == null || only.equals(room);
            if (meant && membership.isAccepted() && membership.seat.user().equals(user)) {
                taken.add(step.apply(membership)
                        .thenAccept(answer -> answer.ifPresent(duration -> answered.put(room, duration))));
            }
        }
        return Stages.all(taken).thenApply(done -> {
            if (only == null || !answered.isEmpty()) {
                return Answer.ok(answered);
            }
            boolean coming = isComing(socket, new Seat(only, user));
            return Answer.refused(coming ? PresenceError.unavailable() : PresenceError.notInRoom());
        });
    }

    /** Whether the socket may soon be in the room: its join got no answer, or it has yet to be put back. */
    private static boolean isComing(LocalSocket socket, Seat seat) {
        Membership membership = socket.memberships.get(seat);
        return membership == null ? socket.awaits(seat.room()) : !membership.isAccepted();
    }

    /** From now on the socket is paused, even if Redis cannot be told: then the next check does it. */
    private CompletionStage<Optional<Duration>> pause(Membership membership) {
        membership.pause();
        CompletionStage<Void> blurred = users.left(membership.socket.id, membership.seat);
        return Stages.on(loop, seats.pause(membership.seat, membership.socket.id))
                .whenComplete((away, failed) -> {
                    if (failed != null) {
                        rooms.checkSoon(membership.seat.room());
                    }
                })
                .thenCombine(blurred, (away, done) -> away)
                .thenCompose(away -> orExpire(membership, away));
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
        return Stages.on(loop, renewed).thenCompose(left -> {
            if (left.isPresent()) {
                membership.heartbeat(sent);
            }
            return orExpire(membership, left);
        });
    }

    /** Ends a membership whose presence is gone, as the empty answer says. */
    private CompletionStage<Optional<Duration>> orExpire(Membership membership, Optional<Duration> answer) {
        return answer.isPresent()
                ? CompletableFuture.completedFuture(answer)
                : memberships.expireSoon(membership).thenApply(expired -> answer);
    }
}
