package io.hadir.presence;

import java.util.concurrent.CompletionStage;

/**
 * Who is to know where the sockets' users are and what they look at. Called on the loop, in the order of each socket's
 * steps; stages complete there and do not fail.
 */
public interface Visits {
    /** A socket acts for a user, for the first time perhaps; refused if the user may have no more sockets. */
    CompletionStage<Answer<UserId>> admit(SocketId socket, UserId user);

    /** The client has joined the room, and looks at it. */
    CompletionStage<Void> joined(SocketId socket, Seat seat);

    /** The socket was put on the seat without its client's doing. */
    void seated(SocketId socket, Seat seat);

    /** The socket's part in the room is over. */
    void left(SocketId socket, Seat seat);

    /** The socket is gone. Completes when that is known, or will be. */
    CompletionStage<Void> gone(SocketId socket);
}
