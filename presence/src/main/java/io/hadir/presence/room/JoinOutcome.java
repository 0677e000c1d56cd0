package io.hadir.presence.room;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The result of a join. */
public sealed interface JoinOutcome {
    /**
     * The socket holds the seat.
     *
     * @param revision the room's revision, including the join
     * @param username the user's name in the room from now on
     * @param data what the app shows about the user from now on, null for nothing
     * @param change the change that Redis published, empty if nothing changed for others
     * @param view the room after the join, empty unless it was asked for and read in full
     * @param user completes with what became of the update of the user; fails if it has to be repeated, or if there was
     *     none
     */
    record Joined(
            long revision,
            RoomRules rules,
            String username,
            @Nullable String data,
            Optional<RoomChange> change,
            Optional<View> view,
            CompletionStage<UserUpdate.Outcome> user)
            implements JoinOutcome {}

    /**
     * A room as a join left it.
     *
     * @param nextLapse the time until the next lapse in the room, if there is one
     */
    record View(Page.FirstPage first, Optional<Duration> nextLapse) {}

    /** The room's index is full, but some of its users may have no live presence. */
    record Full() implements JoinOutcome {}

    /** The user is banned. */
    record Banned(Ban ban) implements JoinOutcome {}

    /**
     * The user was removed with all their sockets since the socket, which has moved, joined.
     *
     * @param message what a backend says about it, null if nothing
     */
    record Removed(RemovalReason reason, @Nullable String message) implements JoinOutcome {}

    /** A later step of the socket reached Redis first. */
    record Superseded() implements JoinOutcome {}
}
