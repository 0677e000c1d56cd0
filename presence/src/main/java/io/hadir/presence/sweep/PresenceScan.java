package io.hadir.presence.sweep;

import io.hadir.presence.room.Page;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.UserId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The sweep's look at everything, whoever wrote it. Goes in bounded steps and waits for each to be dealt with. */
public interface PresenceScan {
    /** Shows every presence, and every room that has hints; ends early when a step completes with false. */
    CompletionStage<Void> each(Function<Finds, CompletionStage<Boolean>> step);

    /** Shows every seat that has details and no presence; ends early when a step completes with false. */
    CompletionStage<Void> eachOrphan(Function<List<Seat>, CompletionStage<Boolean>> step);

    /** Which of these seats have presences that do not expire. */
    CompletionStage<Set<Seat>> withoutTtl(List<Seat> seats);

    /** Shows every user whose online key does not expire in time; ends early when a step completes with false. */
    CompletionStage<Void> eachLastingOnline(Function<Set<UserId>, CompletionStage<Boolean>> step);

    /** Which of these users have online keys that do not expire in time. */
    CompletionStage<Set<UserId>> lastingOnline(Collection<UserId> users);

    /** Makes these users' online keys expire in time. */
    CompletionStage<Void> limitOnline(Collection<UserId> users);

    /** Which of these rooms have a key that does not hold what it should. */
    CompletionStage<Set<RoomId>> unsound(Collection<RoomId> rooms);

    /** Everyone in a room and why, in no order, found by a look at every key there is. */
    CompletionStage<Page> list(RoomId room);

    /**
     * What was found in a step.
     *
     * @param rooms those that have hints, which need not be those of the presences
     * @param unsound those with a key that does not hold what it should
     */
    record Finds(List<Sighting> presences, List<RoomId> rooms, List<RoomId> unsound) {
        public boolean isEmpty() {
            return presences.isEmpty() && rooms.isEmpty() && unsound.isEmpty();
        }
    }
}
