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
    /** A ban may not last longer than this. */
    Duration LONGEST = Duration.ofDays(30);

    /** Bans a user from a room, replacing an earlier ban, and removes them from it with all their sockets. */
    CompletionStage<Answer<Placed>> ban(Seat seat, Instant until, @Nullable String message);

    /** Like {@link #ban(Seat, Instant, String)}, for a length of time by the store's clock. */
    CompletionStage<Answer<Placed>> ban(Seat seat, Duration length, @Nullable String message);

    /** The new ban, and whether the user was in the room. */
    record Placed(Ban ban, boolean removed) {}

    /** Ends a ban; false if there is none. */
    CompletionStage<Boolean> unban(Seat seat);

    /** The bans of a room after a position, in the order of their ends. */
    CompletionStage<BanPage> list(RoomId room, @Nullable Position after, int limit);

    /**
     * A page of a room's bans. It may be short if bans have just ended.
     *
     * @param next the position after which the next page begins, null on the last page
     */
    record BanPage(List<Ban> bans, @Nullable Position next) {}
}
