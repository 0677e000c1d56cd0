package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The life of each seat, from join to leave. Every method about one seat is one atomic step. None blocks. If there is
 * no answer, each fails with a {@link io.hadir.presence.room.PresenceUnavailableException} in bounded time. A step that
 * failed may have been taken all the same.
 */
public interface SeatStore {
    /** Whether the store can be reached at all. */
    boolean isAvailable();

    /** Whether the store has answered something within the last second, and no part of it is silent. */
    boolean isAnswering();

    /** Puts a socket on a seat. */
    CompletionStage<JoinOutcome> join(Join join);

    /**
     * A join.
     *
     * @param since the room's revision when a socket that has moved joined it; 0 for any other socket. If the user was
     *     removed with all their sockets after that, nothing happens
     * @param list what to read of the room in the same step, null for nothing
     * @param update what to record about the user if the socket joins, in the same step or, where users are stored
     *     apart from rooms, right after it; null for nothing
     */
    record Join(
            Seat seat,
            Holder holder,
            Profile profile,
            long since,
            @Nullable ListRequest list,
            @Nullable UserUpdate update) {
        /** A join that lists and records nothing. */
        public static Join of(Seat seat, Holder holder, Profile profile) {
            return new Join(seat, holder, profile, 0, null, null);
        }

        Join listing(@Nullable ListRequest request) {
            return new Join(seat, holder, profile, since, request, update);
        }
    }

    /**
     * A request for the first page of the room that a socket joins.
     *
     * @param known as in {@link RoomStore#listFirst}
     */
    record ListRequest(int limit, @Nullable Roster known) {}

    /** Renews the presence; false if there is none. It may wait a moment for others, so that all are sent together. */
    CompletionStage<Boolean> heartbeat(Seat seat, Duration ttl);

    /** Sends the heartbeats that wait for others, because another step waits for one of them. */
    default void sendHeartbeats() {}

    /**
     * Changes the name or data of a user who is present; false if they are not. What the profile does not have stays.
     */
    CompletionStage<Boolean> update(Seat seat, Profile profile);

    /**
     * Pauses the socket on the seat; empty if there is no presence, else how long it will outlive the socket's silence.
     */
    CompletionStage<Optional<Duration>> pause(Seat seat, SocketId socket);

    /** Renews the presence for a socket that is no longer paused; empty if there is none, else its TTL. */
    CompletionStage<Optional<Duration>> resume(Seat seat, SocketId socket);

    /** How long the presence lives unless it is renewed; empty if there is none. */
    CompletionStage<Optional<Duration>> remaining(Seat seat);

    /** What keeps a user in a room. */
    enum Keeper {
        /** The user is not present, or in a grace period. */
        NOTHING,
        /** Some socket is on the seat. */
        SOCKET,
        /** The user is held as away, because their paused socket fell silent. */
        AWAY
    }

    /** What keeps the user in the room now. */
    CompletionStage<Keeper> keeper(Seat seat);

    /** Whether this socket is on the seat according to its details, as it is if a Hadir put it there. */
    CompletionStage<Boolean> hasSocket(Seat seat, SocketId socket);

    /**
     * Takes one socket off the seat. The user leaves the room with their last socket.
     *
     * <p>An app may report late that a {@linkplain Holder#gone gone} socket had left. If the seat is kept only for
     * that socket's return, the user leaves, too. But if the grace period of another socket still runs, it goes on.
     *
     * @param fenced whether a join of this turn may still be under way, and must then have no effect
     */
    CompletionStage<Void> leave(Seat seat, Holder holder, RemovalReason reason, boolean fenced);

    /**
     * Takes back a join that the client was told had failed, even if that join is still under way. If the user was in
     * their grace period before the join, the grace period goes on; otherwise this is a leave.
     */
    CompletionStage<Void> undo(Seat seat, Holder holder);

    /**
     * Takes one socket off the seat. If it was the last, the user's grace period begins. An app may also report late
     * that a paused socket is {@linkplain Holder#gone gone}: then the user is no longer held as away for it, but gets
     * the grace period.
     */
    CompletionStage<Void> disconnect(Seat seat, Holder holder, boolean fenced);

    /** Takes a paused socket that may be asleep off the seat. If it was the last, the user is held as away. */
    CompletionStage<Void> suspend(Seat seat, Holder holder, boolean fenced);

    /** Removes a user from the room with all their sockets, against their will; false if they were not present. */
    CompletionStage<Boolean> kick(Seat seat, @Nullable String message);

    /**
     * Removes a user from the room with all their sockets, because one of them asked for it. Repeating it changes
     * nothing, even if the user has joined again meanwhile. A join of this turn that is still under way has no effect.
     */
    CompletionStage<Void> leaveEverywhere(Seat seat, Holder holder);

    /**
     * Takes dead sockets off a seat, unless it is in its grace period; true if that removed the user. If no socket
     * remains and a dead one was paused, the user is held as away, unless the reason is {@code LEFT}.
     */
    CompletionStage<Boolean> sweep(Seat seat, RemovalReason reason, Collection<SocketId> dead);

    /**
     * Takes the sockets of a dead node off all seats of a room, in bounded steps. If no other socket is on a seat and a
     * dead one was paused, the user is held as away. Otherwise the seat gets the rest of a grace period: one that was
     * saved when a socket took the seat, or the given one if that ends later. Without either, the user is removed.
     *
     * @param graceUntil when a grace period that began with the node's last sign of life ends, by the store's clock;
     *     null if there is none
     */
    CompletionStage<CleanedUp> cleanUp(RoomId room, String node, @Nullable Instant graceUntil);

    /** Records the rooms to which a user may be restored during the grace period. A hint. */
    CompletionStage<Void> rememberRooms(UserId user, Collection<RoomId> rooms);

    /**
     * The rooms that were recorded when one of the user's sockets disconnected, each with the end of its grace period
     * by the store's clock, or with the epoch if that is unknown. A hint, and for a little longer than that.
     */
    CompletionStage<Map<RoomId, Instant>> rememberedRooms(UserId user);

    /**
     * Gives a seat in its grace period to a new socket, for a short while, or adds the socket to a seat that others
     * hold; empty if there is nothing to restore.
     *
     * @param until the last time, by the store's clock, at which the socket may be added to a seat that others hold;
     *     null for no limit
     */
    CompletionStage<Optional<JoinOutcome.Joined>> restore(Seat seat, Holder holder, @Nullable Instant until);

    /**
     * What became of a dead node's seats in a room.
     *
     * @param removed the number of users who were removed
     * @param inGrace the users whose grace period has begun
     */
    record CleanedUp(long removed, List<UserId> inGrace) {}
}
