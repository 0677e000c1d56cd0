package io.hadir.presence;

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

    /** Everyone in a room and why, in no order, found by a look at every key there is. */
    CompletionStage<Page> list(RoomId room);

    /** Takes dead sockets off a seat unless it is in its grace; true if the user is out. */
    CompletionStage<Boolean> sweep(Seat seat, LeaveReason reason, Collection<SocketId> dead);

    /**
     * What was found in a step.
     *
     * @param rooms those that have hints, which need not be those of the presences
     */
    record Finds(List<Sighting> presences, List<RoomId> rooms) {}

    /**
     * A presence that was seen.
     *
     * @param named the socket that the presence names
     * @param sockets all that hold the seat, the named one included
     * @param complete whether details and hints are there
     */
    record Sighting(Seat seat, SocketId named, Set<SocketId> sockets, boolean complete) {}
}
