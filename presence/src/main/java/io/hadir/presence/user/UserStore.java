package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
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
 * The truth about users. Every method is one atomic step for each user, never blocks, and fails with a {@link
 * io.hadir.presence.room.PresenceUnavailableException} in bounded time if there is no answer; the step may have been taken
 * all the same.
 */
public interface UserStore {
    /** Whether it is worth asking at all. */
    boolean isAvailable();

    /**
     * Notes what this node says about some sockets of a user, and brings what follows from it in line: whether the user
     * is online, which room it looks at, and that it has read there.
     *
     * @param seats rooms that the user is in, a hint
     * @param most the first socket is refused if the user has so many others; 0 for no limit
     * @param gone nodes that are gone, and since when by the store's clock: what they said before does not count
     * @return empty if it was refused
     */
    CompletionStage<Optional<Noted>> note(
            UserId user, List<SocketState> sockets, Collection<RoomId> seats, int most, Map<String, Instant> gone);

    /**
     * What a node says about one of its sockets.
     *
     * @param turn rises with everything the socket does; what is older than what the store has is passed over
     * @param here false if the socket is gone
     * @param room the room it looks at, null if none
     * @param since when it began to, as the store has said before; 0 if it has not
     * @param issued when its token was issued, the epoch if the token does not say; null if it has none
     */
    record SocketState(
            SocketId socket,
            long turn,
            boolean here,
            @Nullable RoomId room,
            long since,
            @Nullable Instant issued) {}

    /**
     * What the store has noted.
     *
     * @param at the time of the store, in epoch milliseconds
     * @param online whether the user is online now
     * @param since for each of the sockets when it began to look at its room
     * @param out those of the sockets that have to be closed and were not noted, with what they are told, empty for the
     *     usual words
     * @param revoked tokens that were issued until then are refused; the epoch if there are none
     */
    record Noted(long at, boolean online, List<Long> since, Map<SocketId, String> out, Instant revoked) {
        /** Nothing has to be closed, and nothing was said of tokens. */
        public Noted(long at, boolean online, List<Long> since) {
            this(at, online, since, Map.of(), Instant.EPOCH);
        }
    }

    /**
     * Says again of users what was noted of them before, so that it is not forgotten.
     *
     * @return those of whom nothing else is known, with what was noted; the others have to be noted one by one
     */
    CompletionStage<Map<UserId, Noted>> renew(List<Renewal> users);

    /** A user with a single socket. */
    record Renewal(UserId user, SocketState socket, Collection<RoomId> seats) {}

    /** What there is to know about each of the users, in their order. */
    CompletionStage<List<UserStatus>> status(List<UserId> users);

    /** The rooms that the user is in, each of them seen alive. */
    CompletionStage<Set<RoomId>> rooms(UserId user);

    /** The counters that are above zero. */
    CompletionStage<Map<RoomId, Long>> unread(UserId user);

    /** The counters of these rooms. */
    CompletionStage<Map<RoomId, Long>> unread(UserId user, List<RoomId> rooms);

    /** Sets a counter to zero. */
    CompletionStage<Void> clearUnread(RoomId room, UserId user);

    /** Counts a message for a user unless the user looks at the room. */
    CompletionStage<Counted> count(RoomId room, UserId user);

    /**
     * What came of a message for one user.
     *
     * @param nodes the nodes that have sockets of this user
     */
    record Counted(Delivery delivery, Set<String> nodes) {}

    /** Has a node tell its sockets of a message. */
    void notify(String node, News news);

    /**
     * A message for users who are online and look elsewhere.
     *
     * @param unread each user's counter
     */
    record News(RoomId room, UserId sender, @Nullable String data, Map<UserId, Long> unread) {}

    /**
     * Has all the user's sockets closed by their nodes. A node that cannot be told now hears it when it says next that
     * its socket is there.
     *
     * @param message what the user is told, null for the usual words
     * @param revocation how long to refuse the tokens that were issued until now, null to revoke none
     */
    CompletionStage<Expelled> expel(UserId user, @Nullable String message, @Nullable Duration revocation);

    /**
     * What became of an {@link #expel}.
     *
     * @param sockets how many sockets the user had
     * @param revoked until when issued tokens are refused, null if none were revoked
     */
    record Expelled(int sockets, @Nullable Instant revoked) {}

    /** Has the nodes told of each socket with which the user looks at the room. */
    CompletionStage<Void> putOut(RoomId room, UserId user);

    /** How many users are online in all. */
    CompletionStage<Long> online();

    /** Adds what was noted about these users to what {@link #online} counts. */
    CompletionStage<Void> countOnline(Map<UserId, Noted> users);

    /** Who is told of what happens on any node; set once. May be called from any thread. */
    void listen(Listener listener);

    /** What a node hears about the users who have sockets on it. */
    interface Listener {
        /** A counter has changed. */
        void unread(UserId user, RoomId room, long unread);

        void notified(News news);

        /** The socket's user was put out of the room at which it looked, with this turn. */
        void putOut(SocketId socket, long turn, RoomId room);

        /** These sockets have to be closed, and are told the message, empty for the usual words. */
        void expelled(List<SocketId> sockets, String message);

        /** Something may have been missed, but will not be from now on. */
        void resumed();
    }
}
