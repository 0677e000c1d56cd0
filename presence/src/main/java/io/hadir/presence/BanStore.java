package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Ban;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The truth about bans. As in {@link SeatStore}, every method is one atomic step, never blocks, and may fail. */
public interface BanStore {
    /** The longest that a ban may last. */
    Duration LONGEST = Duration.ofDays(30);

    /** Bans a user from a room, in the place of a ban that there is, and removes them from it with all their sockets. */
    CompletionStage<Answer<Placed>> ban(Seat seat, Instant until, @Nullable String message);

    /** As {@link #ban(Seat, Instant, String)}, for some time from now on by the store's clock. */
    CompletionStage<Answer<Placed>> ban(Seat seat, Duration length, @Nullable String message);

    /** A ban in force, and whether the user was in the room. */
    record Placed(Ban ban, boolean removed) {}

    /** Ends a ban; false if there is none. */
    CompletionStage<Boolean> unban(Seat seat);

    /** The bans of a room behind a position, in the order in which they end. */
    CompletionStage<BanPage> list(RoomId room, @Nullable Position after, int limit);

    /**
     * A page of a room's bans. One whose bans have just ended may be short.
     *
     * @param next where the next page begins, null on the last
     */
    record BanPage(List<Ban> bans, @Nullable Position next) {}
}
