package io.hadir.presence;

import java.time.Instant;

/** What presence has to say to one socket without being asked. */
public sealed interface SocketMessage {
    /** The socket's user was put out of the room. */
    record ForceLeave(RoomId room, LeaveReason reason, String message, Instant at) implements SocketMessage {}

    /** The socket's user left the room on another socket, with all of them. */
    record LeftElsewhere(RoomId room) implements SocketMessage {}

    /** The socket's user was put back into a room that it was in before. */
    record Restored(JoinedRoom joined) implements SocketMessage {}
}
