package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinedRoom;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** How sockets that moved here from another node are put back into their rooms, unseen. Lives on the loop. */
final class Moves {
    private final Clients clients;
    private final Loop loop;
    private final UserListener users;
    private final Memberships memberships;
    private final Departures departures;
    private final Joins joins;
    private final Stays stays;

    Moves(
            Clients clients,
            Loop loop,
            UserListener users,
            Memberships memberships,
            Departures departures,
            Joins joins,
            Stays stays) {
        this.clients = clients;
        this.loop = loop;
        this.users = users;
        this.memberships = memberships;
        this.departures = departures;
        this.joins = joins;
        this.stays = stays;
    }

    /** Joins a room that the socket was in before it moved. */
    CompletionStage<Answer<JoinedRoom>> takeOver(
            LocalSocket socket, Seat seat, Profile profile, Presence.Moved moved, Answers.Reply<JoinedRoom> reply) {
        return users.admitMoved(socket.id, seat.user())
                .thenCompose(admitted -> admitted instanceof Answer.Refused<UserId> refused
                        ? Answers.refused(refused.error())
                        : takeOverAdmitted(socket, seat, profile, moved, reply).thenApply(answer -> {
                            if (!answer.isUnavailable()) {
                                socket.awaited.remove(seat.room());
                            }
                            return answer;
                        }));
    }

    private CompletionStage<Answer<JoinedRoom>> takeOverAdmitted(
            LocalSocket socket, Seat seat, Profile profile, Presence.Moved moved, Answers.Reply<JoinedRoom> reply) {
        Membership known = socket.memberships.get(seat);
        if (socket.knowsAbsence(seat.room()) || (known != null && known.isAccepted())) {
            // The client left or joined the room since the first attempt.
            return Answers.refused(PresenceError.notInRoom());
        }
        return joins.join(socket, seat, profile, moved.focus(), moved, reply).thenCompose(answer -> {
            if (answer instanceof Answer.Refused<JoinedRoom> refused) {
                sayIfOver(socket, seat.room(), refused.error());
            } else if (moved.paused()) {
                return stays.pause(socket, seat.user(), seat.room()).thenApply(paused -> answer);
            }
            return CompletableFuture.completedFuture(answer);
        });
    }

    /** Tells the client that it is no longer in a room. Says nothing if it may still come back, or knows already. */
    private void sayIfOver(LocalSocket socket, RoomId room, PresenceError error) {
        switch (error.code()) {
            case PRESENCE_UNAVAILABLE -> {
                // The app tries again.
            }
            case NOT_IN_ROOM -> {
                // A change that came meanwhile has ended the membership, and the client knows.
            }
            case BANNED -> memberships.refuseMoved(socket, room, RemovalReason.KICKED, error.banMessage());
            default -> memberships.refuseMoved(socket, room, RemovalReason.PRESENCE_LOST, null);
        }
    }

    /**
     * Restores the user to a room that they were restored to before the socket moved; false if presence is unavailable,
     * and this has to be repeated.
     */
    CompletionStage<Boolean> restore(LocalSocket socket, Seat seat) {
        if (socket.knowsAbsence(seat.room()) || socket.memberships.containsKey(seat)) {
            socket.awaited.remove(seat.room());
            return CompletableFuture.completedFuture(true);
        }
        if (!socket.permits(seat.room())) {
            socket.awaited.remove(seat.room());
            clients.exit(socket.id, seat.room());
            return CompletableFuture.completedFuture(true);
        }
        return users.admitMoved(socket.id, seat.user()).thenCompose(admitted -> {
            if (admitted instanceof Answer.Refused<UserId>) {
                // Who was disconnected meanwhile is about to be told so, of the awaited rooms too.
                return CompletableFuture.completedFuture(!admitted.isUnavailable());
            }
            return joins.restore(socket, seat, null).thenApply(restored -> {
                if (restored) {
                    socket.awaited.remove(seat.room());
                }
                return restored;
            });
        });
    }

    /**
     * A socket is gone before it could move here; false if too much waits for Redis.
     *
     * @param left whether its client left the room
     */
    CompletionStage<Boolean> departed(SocketId gone, Seat seat, boolean left) {
        Departures.Kind kind = left ? Departures.Kind.LEAVE : Departures.Kind.DISCONNECT;
        Departures.Departure departure = new Departures.Departure(kind, seat, Holder.gone(gone), true);
        return departures
                .carryOut(departure)
                .handleAsync((done, failed) -> failed == null || departures.add(departure), loop);
    }
}
