package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * The record of the rooms in which each node has sockets: a hint, by which others clean up after a dead node without
 * a scan. Methods never block, and fail as those of {@link SeatStore} do.
 */
public interface NodeRooms {
    CompletionStage<Void> add(String node, Collection<RoomId> rooms);

    CompletionStage<Void> remove(String node, Collection<RoomId> rooms);

    /** Begins a node's record, or keeps it for another day; false if there was none. */
    CompletionStage<Boolean> renew(String node);

    /**
     * Visits a node's rooms page by page; ends early when a step completes with false.
     *
     * @return false if the record, or the part that was visited, shows that it was lost since the node renewed it
     */
    CompletionStage<Boolean> each(String node, Function<List<RoomId>, CompletionStage<Boolean>> step);
}
