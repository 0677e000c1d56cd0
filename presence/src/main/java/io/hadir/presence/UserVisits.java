package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Hears which rooms the users of sockets join, leave and look at. Called on the loop, in the order of each socket's steps;
 * stages complete there and do not fail.
 */
public interface UserVisits {
    /** A socket acts for a user, perhaps for the first time; refused if the user has too many sockets. */
    CompletionStage<Answer<UserId>> admit(SocketId socket, UserId user);

    /**
     * The socket has joined the room.
     *
     * @param focus whether its client looks at this room from now on
     */
    CompletionStage<Void> joined(SocketId socket, Seat seat, boolean focus);

    /** The socket has left the room, or has stopped looking at it if it was not in it. */
    CompletionStage<Void> left(SocketId socket, Seat seat);

    /** The user was kicked: none of their sockets, on any node, looks at the room any more. */
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
