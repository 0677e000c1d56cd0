package io.hadir.presence.room;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What is said to one socket without being asked. */
public sealed interface SocketMessage {
    /** The socket's user was put out of the room. */
    record ForceLeave(RoomId room, LeaveReason reason, String message, Instant at) implements SocketMessage {}

    /** The socket's user left the room on another socket, with all of them. */
    record LeftElsewhere(RoomId room) implements SocketMessage {}

    /** The socket's user was put back into a room that it was in before. */
    record Restored(JoinedRoom joined) implements SocketMessage {}

    /** The user's counter of unread messages in the room has changed. */
    record Unread(RoomId room, long unread) implements SocketMessage {}

    /**
     * Somebody wrote something in a room that the user is not looking at.
     *
     * @param data JSON of the app's own, null if it gave none
     */
    record Notification(
            RoomId room,
            UserId sender,
            long unread,
            @Nullable String data) implements SocketMessage {}
}
