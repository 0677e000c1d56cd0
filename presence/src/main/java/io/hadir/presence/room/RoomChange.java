package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/** One change of a room's list, in the order in which Redis applied them. */
public sealed interface RoomChange {
    long revision();

    UserId user();

    record Joined(long revision, Participant participant) implements RoomChange {
        @Override
        public UserId user() {
            return participant.user();
        }
    }

    /** The room shows something else of a user who is still there. */
    record Updated(long revision, Participant participant) implements RoomChange {
        @Override
        public UserId user() {
            return participant.user();
        }
    }

    /**
     * A user is out.
     *
     * @param message what the user is to be told, null for the usual
     */
    record Left(
            long revision,
            UserId user,
            LeaveReason reason,
            @Nullable String message) implements RoomChange {}
}
