package io.hadir.presence.sweep;

import io.hadir.presence.room.Page;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.UserId;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;

/** Reads everything in Redis, also what other programs wrote, in bounded steps. Waits until each is handled. */
public interface PresenceScan {
    /**
     * Visits every presence; ends early when a step completes with false.
     *
     * @param known the seats whose presences need not be read
     * @param thorough whether to visit every room that has hints, too, and to look for rooms' keys of the wrong type or
     *     content
     */
    CompletionStage<Void> each(
            Pace pace, Predicate<Seat> known, boolean thorough, Function<Found, CompletionStage<Boolean>> step);

    /** The hints about these rooms, as a thorough scan finds them; no presences. */
    CompletionStage<Found> hints(Collection<RoomId> rooms);

    /** The presences at these seats, with all their sockets and whether they are complete. */
    CompletionStage<List<Sighting>> read(List<Seat> seats);

    /** Visits every seat that has details and no presence; ends early when a step completes with false. */
    CompletionStage<Void> eachOrphan(Pace pace, Function<List<Seat>, CompletionStage<Boolean>> step);

    /** The seats among these whose presences do not expire. */
    CompletionStage<Set<Seat>> withoutTtl(List<Seat> seats);

    /** Visits every user whose online key does not expire in time; ends early when a step completes with false. */
    CompletionStage<Void> eachLastingOnline(Pace pace, Function<Set<UserId>, CompletionStage<Boolean>> step);

    /** The users among these whose online keys do not expire in time. */
    CompletionStage<Set<UserId>> lastingOnline(Collection<UserId> users);

    /** Makes these users' online keys expire in time. */
    CompletionStage<Void> limitOnline(Collection<UserId> users);

    /** The rooms among these that have a key of the wrong type or content. */
    CompletionStage<Set<RoomId>> unsound(Collection<RoomId> rooms);

    /** Everyone in a room and why they are listed, in no order, from a scan of all keys. */
    CompletionStage<Page> list(RoomId room);

    /**
     * What one step has found.
     *
     * @param known seats with a presence that was not read
     * @param presences the presences that were read, each with the socket that it names
     * @param hints how many users each room has hints about, with or without presences in this step; only in a thorough
     *     scan
     * @param unsound rooms that have a key of the wrong type or content
     */
    record Found(List<Seat> known, List<Sighting> presences, Map<RoomId, Long> hints, List<RoomId> unsound) {
        public boolean isEmpty() {
            return known.isEmpty() && presences.isEmpty() && hints.isEmpty() && unsound.isEmpty();
        }
    }
}
