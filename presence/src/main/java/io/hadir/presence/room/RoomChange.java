package io.hadir.presence.room;

import org.jspecify.annotations.Nullable;

/** A change of a room's list. Revisions have the order in which Redis made the changes. */
public sealed interface RoomChange {
    long revision();

    UserId user();

    record Joined(long revision, Participant participant) implements RoomChange {
        @Override
        public UserId user() {
            return participant.user();
        }
    }

    /** A user is still in the room, and their entry has changed. */
    record Updated(long revision, Participant participant) implements RoomChange {
        @Override
        public UserId user() {
            return participant.user();
        }
    }

    /**
     * A user is no longer in the room.
     *
     * @param message the text for the user, null for the standard text
     */
    record Left(
            long revision,
            UserId user,
            RemovalReason reason,
            @Nullable String message) implements RoomChange {}
}
