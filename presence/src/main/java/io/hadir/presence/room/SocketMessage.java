package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message to one socket that is not an answer. */
public sealed interface SocketMessage {
    /**
     * The socket's user was removed from the room.
     *
     * @param message the text of the backend or the room, null for the standard text in the client's language
     * @param ttl of the room
     */
    record ForceLeave(
            RoomId room, RemovalReason reason, @Nullable String message, Duration ttl, Instant at)
            implements SocketMessage {}

    /** The user left the room with all their sockets, through another one. */
    record LeftElsewhere(RoomId room) implements SocketMessage {}

    /** The server has restored the user to a room. */
    record Restored(JoinedRoom joined) implements SocketMessage {}

    /** The socket was silent for so long that the user's presence ends soon. */
    record Expiring(RoomId room, Instant at) implements SocketMessage {}

    /** These of the users whom the socket watches came online or went offline. */
    record Statuses(List<Online> users) implements SocketMessage {}

    /**
     * Whether a user is online.
     *
     * @param lastSeen null if the user has never been seen, or not for a very long time
     */
    record Online(UserId user, boolean online, @Nullable Instant lastSeen) {}

    /** The user's unread counter of the room has changed. */
    record Unread(RoomId room, long unread) implements SocketMessage {}

    /**
     * Somebody wrote a message in a room that the user does not focus.
     *
     * @param data the app's JSON, null if it gave none
     */
    record Notification(
            RoomId room,
            UserId sender,
            long unread,
            @Nullable String data) implements SocketMessage {}
}
