package io.hadir.presence;

import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Who is to know where the sockets' users are and what they look at. Called on the loop, in the order of each socket's
 * steps; stages complete there and do not fail.
 */
public interface Visits {
    /** A socket acts for a user, for the first time perhaps; refused if the user may have no more sockets. */
    CompletionStage<Answer<UserId>> admit(SocketId socket, UserId user);

    /**
     * The socket is in the room.
     *
     * @param focus whether its client looks at the room from now on; else it looks where it did before
     */
    CompletionStage<Void> joined(SocketId socket, Seat seat, boolean focus);

    /** The socket's part in the room is over, or its look at it if it had no part. */
    CompletionStage<Void> left(SocketId socket, Seat seat);

    /** The user was put out of the room, and is to look at it with none of its sockets, on whichever nodes they are. */
    CompletionStage<Void> kicked(Seat seat);

    /** From now on the socket may look at these rooms only. */
    CompletionStage<Void> restrict(SocketId socket, Predicate<RoomId> permitted);

    /**
     * Who disconnects a socket against its client's will and tells it the message, empty for the usual words; set once.
     * Called for sockets, too, that are not there yet or any more.
     */
    void onExpelled(BiConsumer<SocketId, String> expeller);

    /** The socket is gone. Completes when that is known, or will be. */
    CompletionStage<Void> gone(SocketId socket);
}
