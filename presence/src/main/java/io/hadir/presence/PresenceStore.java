package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceUnavailableException;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The truth about presences. Every method is one atomic step or walks in bounded ones, never blocks, and fails with a
 * {@link PresenceUnavailableException} in bounded time if there is no answer; the step may have been taken all the same.
 */
public interface PresenceStore {
    /** A join needs as many answers, one after the other, and is answered in time itself. */
    int ANSWERS_TO_A_JOIN = 3;

    /** If an answer takes longer than this, clients are told that presence is not available. */
    static Duration slowestAnswer() {
        return Reply.inTime().dividedBy(ANSWERS_TO_A_JOIN);
    }

    /** Whether it is worth asking at all. */
    boolean isAvailable();

    /** Whether it is worth asking about this room: the part of the store may be away in which it lies. */
    boolean isAvailable(RoomId room);

    CompletionStage<JoinOutcome> join(Seat seat, Holder holder, Profile profile);

    /** Prolongs the presence; false if there is none. */
    CompletionStage<Boolean> heartbeat(Seat seat, Duration ttl);

    /** Whether the user is in the room with some socket, and not just in the grace after the last. */
    CompletionStage<Boolean> isHeld(Seat seat);

    /**
     * Takes one socket off the seat, and the user out of the room if it was the last.
     *
     * @param fenced whether a join of this turn may still be under way, and must come to nothing
     */
    CompletionStage<Void> leave(Seat seat, Holder holder, LeaveReason reason, boolean fenced);

    /**
     * Takes back a join that was told to have failed, also one that is still under way. A grace in which the user was
     * before goes on; else this is as leaving.
     */
    CompletionStage<Void> undo(Seat seat, Holder holder);

    /** Takes one socket off the seat, and leaves the user the grace if it was the last. */
    CompletionStage<Void> disconnect(Seat seat, Holder holder, boolean fenced);

    /** Takes the user out of the room with all its sockets; false if it was not there. */
    CompletionStage<Boolean> remove(Seat seat, LeaveReason reason, @Nullable String message);

    /** Notes where a user may be restored during the grace. A hint. */
    CompletionStage<Void> rememberRooms(UserId user, Collection<RoomId> rooms);

    /** Where the user was when one of its sockets went, within the grace. A hint. */
    CompletionStage<Set<RoomId>> rememberedRooms(UserId user);

    /** Gives a seat that is in its grace to a new socket, for a short while; empty if there is nothing to restore. */
    CompletionStage<Optional<JoinOutcome.Joined>> restore(Seat seat, Holder holder);

    CompletionStage<Page> list(RoomId room, @Nullable Position after, int limit);

    /**
     * The first page, at less cost if what is known of the room still holds.
     *
     * @param known null if nobody here wants to know everybody: the room is too large, or not one of this node's
     */
    CompletionStage<FirstPage> listFirst(RoomId room, int limit, @Nullable Roster known);

    /** The same by the way that changes take: a newcomer's list comes with the answers to what it did. */
    CompletionStage<FirstPage> listForNewcomer(RoomId room, int limit, @Nullable Roster known);

    /** As {@link #list}, and why everyone is on it. */
    CompletionStage<Page> listHolds(RoomId room, @Nullable Position after, int limit);

    CompletionStage<Headcount> count(RoomId room);

    /** Counts many rooms at little cost; each has an outcome of its own. */
    Map<RoomId, CompletionStage<Headcount>> count(Collection<RoomId> rooms);

    /** Tells the room of users whose grace has run out; completes with when the next one may. */
    CompletionStage<Optional<Duration>> lapse(RoomId room);

    /** Tells the room of users who are listed and not alive; a reason that is not known is guessed. */
    CompletionStage<Void> prune(RoomId room, Map<UserId, Optional<LeaveReason>> users);

    /** Which of a node's own seats in a room are alive, in their order; renews and repairs what belongs to those. */
    CompletionStage<Checked> check(RoomId room, List<Claim> claims);

    /** Deletes those of the room's keys that do not hold what they should, and has every node check the room. */
    CompletionStage<Void> repair(RoomId room);

    /** Raises the room's revision above this one, unless it is above it, and makes every node's clients list again. */
    CompletionStage<Void> raise(RoomId room, long told);

    /** Puts rooms on the list of those in which somebody may be. A hint. */
    CompletionStage<Void> noteOccupied(Collection<RoomId> rooms);

    /** Takes rooms off that list. */
    CompletionStage<Void> forgetOccupied(Collection<RoomId> rooms);

    /** The rooms behind this one on that list, ordered by id; from its start if there is none. */
    CompletionStage<List<RoomId>> occupied(@Nullable RoomId after, int most);

    /** Which of these rooms are not on that list. */
    CompletionStage<Set<RoomId>> notOccupied(Collection<RoomId> rooms);

    /** Which of these users are not in the room. */
    CompletionStage<Set<UserId>> absent(RoomId room, Collection<UserId> users);

    /** How many rooms are on that list. */
    CompletionStage<Long> countOccupied();

    CompletionStage<RoomSettings> settings(RoomId room);

    /** Replaces all that is set for the room, and lets every node know. */
    CompletionStage<Void> configure(RoomId room, RoomSettings settings);

    /**
     * The first page of a room's list.
     *
     * @param everybody who is there, those on other pages included; null if not all of them were looked at
     */
    record FirstPage(Page page, @Nullable Roster everybody) {}

    /**
     * How many are in a room.
     *
     * @param dead who is listed there and not alive
     */
    record Headcount(long alive, long revision, List<UserId> dead) {}

    /** A socket's claim to a seat. */
    record Claim(UserId user, Holder holder, String username) {}

    /**
     * What a node learns from a look at its own seats in a room.
     *
     * @param nextLapse when the next short TTL in the room runs out, if one is running
     * @param alive whether each seat is, in their order
     */
    record Checked(RoomRules rules, long revision, Optional<Duration> nextLapse, List<Boolean> alive) {}
}
