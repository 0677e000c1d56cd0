package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Stages;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How sockets and users leave rooms: a client leaves, a socket disconnects, or the server removes a socket; each is a
 * departure, which {@link Departures} carries out. Or a backend kicks a user. {@link Memberships} ends what expires or
 * is removed elsewhere. Lives on the loop.
 */
final class Leaves {
    private final SeatStore seats;
    private final Clients clients;
    private final Loop loop;
    private final UserListener users;
    private final Memberships memberships;
    private final Departures departures;
    private final Lobby lobby;

    Leaves(
            SeatStore seats,
            Clients clients,
            Loop loop,
            UserListener users,
            Memberships memberships,
            Departures departures,
            Lobby lobby) {
        this.seats = seats;
        this.clients = clients;
        this.loop = loop;
        this.users = users;
        this.memberships = memberships;
        this.departures = departures;
        this.lobby = lobby;
    }

    /** Removes the socket from the room, and the user with their last socket, or with all of them. */
    CompletionStage<Answer<RoomId>> leave(LocalSocket socket, Seat seat, boolean everywhere) {
        Membership membership = socket.memberships.get(seat);
        socket.recordAbsence(seat.room());
        CompletionStage<Void> ended =
                membership == null ? CompletableFuture.completedFuture(null) : memberships.end(membership);
        CompletionStage<Void> blurred = Stages.all(List.of(ended, users.left(socket.id, seat)));
        if (membership == null && !everywhere) {
            return blurred.thenApply(done -> Answer.ok(seat.room()));
        }
        Departures.Kind kind = everywhere ? Departures.Kind.LEAVE_EVERYWHERE : Departures.Kind.LEAVE;
        boolean unsure = membership != null && membership.isUnsure();
        Holder holder = new Holder(socket.id, socket.nextTurn());
        Departures.Departure departure = new Departures.Departure(kind, seat, holder, unsure);
        if (!everywhere) {
            return depart(departure).thenCombine(blurred, (done, left) -> Answer.ok(seat.room()));
        }
        // The sweep cannot make up for this departure, so the client has to know if it is lost.
        return Stages.on(loop, departures.carryOut(departure)).handle((done, failed) -> {
            boolean heard = failed == null || (!departures.areTooMany(socket, seat) && departures.add(departure));
            return heard ? Answer.ok(seat.room()) : Answer.refused(PresenceError.unavailable());
        });
    }

    /**
     * The socket is gone. The seats that it alone held get a grace period.
     *
     * @param mayBeAsleep as in {@link Presence#disconnect}
     */
    CompletionStage<Void> disconnect(LocalSocket socket, boolean mayBeAsleep) {
        List<Membership> all = List.copyOf(socket.memberships.values());
        List<RoomId> accepted = all.stream()
                .filter(Membership::isAccepted)
                .map(membership -> membership.seat.room())
                .toList();
        if (socket.authenticated != null && !accepted.isEmpty()) {
            seats.rememberRooms(socket.authenticated, accepted);
        }
        Departures.Kind kind = mayBeAsleep ? Departures.Kind.SUSPEND : Departures.Kind.DISCONNECT;
        CompletionStage<Void> gone =
                users.disconnected(socket.id, mayBeAsleep && all.stream().anyMatch(Membership::isPaused));
        all.forEach(memberships::end);
        lobby.forget(socket.id);
        return Stages.all(List.of(gone, departAll(all, kind))).thenRun(() -> memberships.close(socket));
    }

    /**
     * Disconnects a socket against its client's will: removes it from its rooms, tells it, and closes it.
     *
     * @param message the text for the client, empty for the standard text
     */
    CompletionStage<Void> kickAndDisconnect(LocalSocket socket, String message) {
        List<Membership> kicked = memberships.kickAll(socket, message.isEmpty() ? null : message);
        clients.disconnect(socket.id);
        return departAll(kicked, Departures.Kind.KICK);
    }

    /** From now on the socket may be in these rooms only. It is removed from the others as {@code kicked}. */
    CompletionStage<Void> restrict(LocalSocket socket, Predicate<RoomId> permitted) {
        socket.restrict(permitted);
        lobby.restrict(socket.id, permitted);
        List<Membership> forbidden = socket.memberships.values().stream()
                .filter(membership -> !socket.permits(membership.seat.room()))
                .toList();
        return Stages.all(List.of(
                users.restrict(socket.id, permitted),
                departAll(memberships.kick(forbidden, null), Departures.Kind.KICK)));
    }

    /** Removes a user from the room with all their sockets; {@code not_found} if they are not in it. */
    CompletionStage<Answer<Seat>> kick(Seat seat, @Nullable String message) {
        PresenceError absent = PresenceError.of(ErrorCode.NOT_FOUND, "the user is not in the room");
        return Stages.on(loop, seats.kick(seat, message))
                .thenCompose(removed ->
                        removed ? users.kicked(seat).thenApply(done -> Answer.ok(seat)) : Answers.refused(absent));
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
        return Stages.on(loop, departures.carryOut(departure)).exceptionally(failed -> {
            departures.add(departure);
            return null;
        });
    }
}
