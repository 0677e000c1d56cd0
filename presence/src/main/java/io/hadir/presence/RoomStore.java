package io.hadir.presence;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Sighting;
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
 * Rooms as a whole: who is in them, how many, and whether the hints about them are true. Methods work in bounded steps,
 * never block, and fail as those of {@link SeatStore} do.
 */
public interface RoomStore {
    /** Whether the room can be reached: its part of the store may be away. */
    boolean isAvailable(RoomId room);

    /** A page of the room's list. */
    CompletionStage<Page> list(RoomId room, @Nullable Position after, int limit);

    /**
     * The first page, at less cost if the roster is still true.
     *
     * @param known null if this node keeps no roster: the room is too large, or the node has no sockets in it
     */
    CompletionStage<FirstPage> listFirst(RoomId room, int limit, @Nullable Roster known);

    /**
     * The same for a socket that has just joined: behind the changes that are already under way. In a burst, a list that
     * overtook them would be outdated when it arrives.
     */
    CompletionStage<FirstPage> listForNewcomer(RoomId room, int limit, @Nullable Roster known);

    /** As {@link #list}, with the evidence for each user. */
    CompletionStage<Page> listWithEvidence(RoomId room, @Nullable Position after, int limit);

    CompletionStage<Headcount> count(RoomId room);

    /** Counts many rooms at little cost; each has its own outcome. */
    Map<RoomId, CompletionStage<Headcount>> count(Collection<RoomId> rooms);

    /** How many hints each of these rooms has. Cheap whatever the size of a room; 0 if that cannot be read. */
    CompletionStage<Map<RoomId, Long>> countHints(Collection<RoomId> rooms);

    /** Which of these users are not in the room. */
    CompletionStage<Set<UserId>> absent(RoomId room, Collection<UserId> users);

    /** Removes and announces users whose short TTL has run out; completes with the time until the next lapse. */
    CompletionStage<Optional<Duration>> expireLapses(RoomId room);

    /**
     * Announces users who have hints and no presence.
     *
     * @param reason null if it is unknown; then the store guesses
     */
    CompletionStage<Void> announceExpired(RoomId room, Collection<UserId> users, @Nullable RemovalReason reason);

    /** Which of a node's own seats in a room are alive, in their order. Renews and repairs what belongs to those. */
    CompletionStage<Checked> check(RoomId room, List<Claim> claims);

    /** Compares a node's own seats in several rooms with the store by reads alone; each room has its own outcome. */
    List<CompletionStage<Compared>> compare(List<Claims> rooms);

    /** Deletes the room's keys that have the wrong type, and makes every node check the room. */
    CompletionStage<Void> repair(RoomId room);

    /**
     * Raises the room's revision above this one if it is not, and makes every node's clients list again; completes with
     * the room's revision.
     */
    CompletionStage<Long> raise(RoomId room, long revision);

    /**
     * How many participants a room has.
     *
     * @param dead users who have hints and no presence
     */
    record Headcount(long alive, long revision, List<UserId> dead) {}

    /**
     * A socket's claim to a seat.
     *
     * @param data what the app shows about the user, null for nothing
     */
    record Claim(
            UserId user,
            Holder holder,
            String username,
            @Nullable String data,
            boolean paused) {}

    /** Sockets' claims to seats in one room. */
    record Claims(RoomId room, List<Claim> seats) {}

    /**
     * What a node learns from a comparison of its own seats in a room.
     *
     * @param nextLapse the time until the next lapse in the room, if there is one
     * @param right whether all seats are alive and complete; if not, a check finds out more
     * @param shared the seats that several sockets hold, of this node or others
     */
    record Compared(
            RoomRules rules, long revision, Optional<Duration> nextLapse, boolean right, List<Sighting> shared) {}

    /**
     * What a node learns from a check of its own seats in a room.
     *
     * @param nextLapse the time until the next lapse in the room, if there is one
     * @param alive whether each seat is alive, in their order
     */
    record Checked(RoomRules rules, long revision, Optional<Duration> nextLapse, List<Boolean> alive) {}
}
