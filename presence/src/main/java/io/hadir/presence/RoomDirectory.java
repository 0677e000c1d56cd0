package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The list of rooms that may be occupied. All of it is hints. Methods fail as those of {@link SeatStore} do. */
public interface RoomDirectory {
    CompletionStage<Void> add(Collection<RoomId> rooms);

    CompletionStage<Void> remove(Collection<RoomId> rooms);

    /** The rooms after this one, ordered by id; from the start of the list if it is null. */
    CompletionStage<List<RoomId>> after(@Nullable RoomId room, int limit);

    /** Which of these rooms are not listed. */
    CompletionStage<Set<RoomId>> missing(Collection<RoomId> rooms);

    /** How many rooms are listed. */
    CompletionStage<Long> count();
}
