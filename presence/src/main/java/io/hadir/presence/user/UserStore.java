package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The truth about users. Every method is one atomic step for each user and never blocks. Without an answer it fails
 * with a {@link io.hadir.presence.room.PresenceUnavailableException} in bounded time; the step may have happened
 * nevertheless.
 */
public interface UserStore {
    /** Whether the store is likely to answer now. */
    boolean isAvailable();

    /** Makes an update; empty if its first socket was refused. */
    CompletionStage<Optional<UserUpdate.Outcome>> update(UserUpdate update);

    /**
     * Renews that users are online, and finds out whether the store still has what the last {@link #update} recorded.
     * Each of their sockets still has to be updated from time to time. Not one step: what is about to end may be
     * renewed once more.
     *
     * @return what became of each user; one who is missing could not be renewed, because the store did not answer
     */
    CompletionStage<Map<UserId, Renewed>> renew(List<Renewal> users);

    /**
     * What this node knows of a user.
     *
     * @param sockets those of their sockets on this node to look for in the store
     * @param room the room that they focus, null if none
     */
    record Renewal(
            UserId user,
            Collection<SocketId> sockets,
            @Nullable RoomId room) {}

    /** What became of a {@link Renewal}. */
    enum Renewed {
        RENEWED,
        /** The store has another state, so the user needs an {@link #update}. */
        CHANGED
    }

    /** The status of each user, in the order asked. */
    CompletionStage<List<UserStatus>> status(List<UserId> users);

    /**
     * The listener hears for a while when these users come online or go offline, also those without sockets here.
     *
     * @return whether each is online, in the order asked, without those whom the store cannot reach; fails if it
     *     reaches none
     */
    CompletionStage<List<SocketMessage.Online>> watch(List<UserId> users);

    /** The listener need not hear of these users any more. */
    CompletionStage<Void> unwatch(Collection<UserId> users);

    /** The rooms that the user is in. Each presence was alive when it was read. */
    CompletionStage<Set<RoomId>> rooms(UserId user);

    /** The user's unread counters above zero. */
    CompletionStage<Map<RoomId, Long>> unread(UserId user);

    /** The user's unread counters of these rooms. */
    CompletionStage<Map<RoomId, Long>> unread(UserId user, List<RoomId> rooms);

    /** Sets an unread counter to zero. */
    CompletionStage<Void> clearUnread(RoomId room, UserId user);

    /** Counts a message as unread for a user, unless they focus the room. */
    CompletionStage<Counted> count(RoomId room, UserId user);

    /**
     * The result of counting a message.
     *
     * @param nodes the nodes that have sockets of the user
     */
    record Counted(Delivery delivery, Set<String> nodes) {}

    /** Sends a message's news to a node, which notifies its sockets. */
    void notify(String node, News news);

    /**
     * A message for users who are online and do not focus its room.
     *
     * @param unread each user's unread counter
     */
    record News(RoomId room, UserId sender, @Nullable String data, Map<UserId, Long> unread) {}

    /**
     * Demands that all nodes disconnect the user's sockets. A node that misses this learns it from its next update. A
     * client that is on its way from one node to another is disconnected when it arrives, if it was connected before.
     *
     * @param message the text for the user, null for the standard text
     * @param revocation how long to refuse the tokens that were issued until now, null to revoke none
     */
    CompletionStage<Disconnected> disconnect(UserId user, @Nullable String message, @Nullable Duration revocation);

    /**
     * The result of a {@link #disconnect}.
     *
     * @param sockets how many sockets the user had
     * @param revoked tokens issued up to this time are refused, null if none were revoked
     */
    record Disconnected(int sockets, @Nullable Instant revoked) {}

    /** Tells the nodes of the user's sockets that focus this room to blur it. */
    CompletionStage<Void> blur(RoomId room, UserId user);

    /** Sets the listener; called once. The listener is called on any thread. */
    void listen(Listener listener);

    /** Hears about the users who have sockets on this node, or whom it watches. */
    interface Listener {
        /** An unread counter has changed. */
        void unread(UserId user, RoomId room, long unread);

        void notified(News news);

        /** The socket's user was removed from the room that it has focused since this turn. */
        void blurred(SocketId socket, long turn, RoomId room);

        /** These sockets have to be disconnected, with this text for their clients, empty for the standard text. */
        void disconnected(List<SocketId> sockets, String message);

        /** This node leads the user, because the socket of the node that did is gone. */
        void leads(UserId user);

        /** A user whom this node watches may have come online or gone offline. */
        void watched(UserId user);

        /** The connection is back. Messages before this may have been lost. */
        void resumed();
    }
}
