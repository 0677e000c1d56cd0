package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Admits sockets for their users, and hears which rooms they join, leave and focus. Called on the loop, in the order of
 * each socket's steps. Stages complete there and do not fail.
 */
public interface UserListener {
    /** A socket acts for a user, perhaps for the first time; refused if the user has too many sockets. */
    CompletionStage<Answer<UserId>> admit(SocketId socket, UserId user);

    /**
     * A socket that moved here is about to be put back into a room; refused if the user was disconnected meanwhile, or
     * if the store does not say.
     */
    CompletionStage<Answer<UserId>> admitMoved(SocketId socket, UserId user);

    /**
     * The socket is about to join the room.
     *
     * @param focus whether the socket focuses the room if it joins
     */
    Joining joining(SocketId socket, Seat seat, boolean focus);

    /** A join, as it concerns the socket's user. One call of {@link #joined} or {@link #unknown} ends it, or nothing if it is refused. */
    interface Joining {
        /** The socket is not known to be of this user, so nothing is recorded. */
        Joining OF_NOBODY = new Joining() {
            @Override
            public @Nullable UserUpdate update() {
                return null;
            }

            @Override
            public CompletionStage<Void> joined(CompletionStage<UserUpdate.Outcome> outcome) {
                return CompletableFuture.completedFuture(null);
            }

            @Override
            public void unknown() {}
        };

        /** What the store has to record if the socket joins, null for nothing. */
        @Nullable
        UserUpdate update();

        /**
         * The socket has joined. Completes when the update is made or has failed.
         *
         * @param outcome fails if the update has to be repeated
         */
        CompletionStage<Void> joined(CompletionStage<UserUpdate.Outcome> outcome);

        /** The store did not say whether the socket has joined. */
        void unknown();
    }

    /** The socket is in the room without a join: the server restored it, or another program put it there. */
    void entered(SocketId socket, Seat seat);

    /**
     * The socket no longer looks at the room: it left, even if it was never in it, or its app went to the background.
     */
    CompletionStage<Void> left(SocketId socket, Seat seat);

    /** The user was kicked: all their sockets, on any node, have to blur the room. */
    CompletionStage<Void> kicked(Seat seat);

    /** From now on the socket may focus these rooms only. */
    CompletionStage<Void> restrict(SocketId socket, Predicate<RoomId> permitted);

    /**
     * The socket is gone. Completes when the store knows, or will know.
     *
     * @param held whether its user may be held as away, because it was paused and may be asleep
     */
    CompletionStage<Void> disconnected(SocketId socket, boolean held);

    /** Gives access to the sockets of this node; called once, before any other method. */
    void attach(Sockets sockets);

    /** The sockets of this node. On the loop. Sockets that do not exist yet, or no longer, have no effect. */
    interface Sockets {
        /**
         * Disconnects a socket against its client's will.
         *
         * @param message the text for the client, empty for the standard text
         */
        void disconnect(SocketId socket, String message);

        /** The rooms that the socket is in. */
        Collection<RoomId> rooms(SocketId socket);
    }
}
