package io.hadir.presence.user;

import io.hadir.presence.Clients;
import io.hadir.presence.UserListener;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.sweep.LeaseKeeper;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who is online, who looks at which room and what nobody has read yet, on one node.
 *
 * <p>All of it is known to the {@link UserStore} alone. What is kept here is which local socket is whose and what its
 * client looks at, so that the store can be told again and the right sockets hear of what happens. It lives on the
 * {@link Loop}: methods may be called from any thread, and complete on the loop. What the store does not hear because it
 * is away, it hears when it is back; nobody is refused for it.
 */
public final class Users implements UserListener, LeaseKeeper.Listener {
    private static final PresenceError TOO_MANY_SOCKETS =
            PresenceError.of(ErrorCode.LIMIT_EXCEEDED, "the user has as many connections as it may");
    private static final PresenceError REVOKED =
            PresenceError.of(ErrorCode.UNAUTHENTICATED, "the user's tokens were revoked");
    private static final PresenceError DISCONNECTED =
            PresenceError.of(ErrorCode.FORBIDDEN, "the user was disconnected");
    private static final CompletionStage<Void> DONE = CompletableFuture.completedFuture(null);
    private static final UserListener.Sockets NO_SOCKETS = new UserListener.Sockets() {
        @Override
        public void disconnect(SocketId socket, String message) {}

        @Override
        public Collection<RoomId> rooms(SocketId socket) {
            return List.of();
        }
    };
    private static final int AT_ONCE = 200;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final UserStore store;
    private final Clients sockets;
    private final Loop loop;
    private final UserSettings settings;
    private final LocalUsers local = new LocalUsers();
    private final UserRenewals notes;
    private final Deliveries deliveries;
    private UserListener.Sockets connected = NO_SOCKETS;
    private boolean recovering;
    private boolean missed;

    public Users(UserStore store, Clients sockets, Loop loop, UserSettings settings) {
        this.store = store;
        this.sockets = sockets;
        this.loop = loop;
        this.settings = settings;
        notes = new UserRenewals(store, local, loop, settings, this::roomsOf, this::disconnect);
        deliveries = new Deliveries(store);
        store.listen(new Hearing());
    }

    /** Renews what the store knows of this node's users from now on. */
    public void start() {
        loop.execute(notes::start);
    }

    /** To be called when every socket is gone; completes when all that is known here has been told. */
    public CompletionStage<Void> stop() {
        return CompletableFuture.supplyAsync(notes::flush, loop).thenCompose(done -> done);
    }

    // What sockets do

    /** A socket without a token is this user's; {@code limit_exceeded} if the user has too many. */
    public CompletionStage<Answer<UserId>> connect(SocketId socket, UserId user) {
        return connect(socket, user, null);
    }

    /**
     * A socket is this user's; {@code limit_exceeded} if the user has too many, {@code unauthenticated} if its token was
     * revoked. If the store does not answer it is let in, and closed when the store has answered if it has to be.
     *
     * @param issued when its token was issued, the epoch if the token does not say; null if it has none
     */
    public CompletionStage<Answer<UserId>> connect(SocketId socket, UserId user, @Nullable Instant issued) {
        return CompletableFuture.supplyAsync(() -> admit(socket, user, issued), loop)
                .thenCompose(admitted -> admitted);
    }

    /** The socket is connected, and so can be closed if it was to be meanwhile. */
    public void connected(SocketId id) {
        loop.execute(() -> {
            UserSocket socket = local.socket(id);
            String out = socket == null ? null : socket.out();
            if (out != null) {
                connected.disconnect(id, out);
            }
        });
    }

    /** A socket has a newer token, issued then; false if it is revoked, and the one before goes on. */
    public CompletionStage<Boolean> refresh(SocketId id, Instant issued) {
        return CompletableFuture.supplyAsync(
                () -> {
                    UserSocket socket = local.socket(id);
                    return socket != null && socket.refresh(issued);
                },
                loop);
    }

    /** The socket is gone. */
    public CompletionStage<Void> disconnect(SocketId socket) {
        return CompletableFuture.supplyAsync(() -> disconnected(socket), loop).thenCompose(done -> done);
    }

    /** The socket's client looks at a room, and has read there. On the loop, in the socket's order. */
    public CompletionStage<Answer<RoomId>> focus(SocketId id, RoomId room) {
        UserSocket socket = local.socket(id);
        if (socket != null) {
            socket.look(room);
        }
        return answered(socket, room);
    }

    /** The socket's client does not look at the room any more. On the loop, in the socket's order. */
    public CompletionStage<Answer<RoomId>> blur(SocketId id, RoomId room) {
        UserSocket socket = local.socket(id);
        if (socket == null || !socket.looksAt(room)) {
            return CompletableFuture.completedFuture(Answer.ok(room));
        }
        socket.look(null);
        return answered(socket, room);
    }

    private CompletionStage<Answer<RoomId>> answered(@Nullable UserSocket socket, RoomId room) {
        return socket == null
                ? CompletableFuture.completedFuture(Answer.refused(PresenceError.unavailable()))
                : answer(notes.send(socket.user, List.of(socket), Set.of(), 0).thenApply(noted -> room));
    }

    @Override
    public CompletionStage<Answer<UserId>> admit(SocketId id, UserId user) {
        return admit(id, user, null);
    }

    private CompletionStage<Answer<UserId>> admit(SocketId id, UserId user, @Nullable Instant issued) {
        UserSocket known = local.socket(id);
        if (known != null && known.user.id.equals(user)) {
            return known.out() == null
                    ? known.admitted
                    : CompletableFuture.completedFuture(Answer.refused(refusal(known)));
        }
        if (known != null) {
            // It began for another user, whom it was then refused to act for.
            disconnected(id);
        }
        UserSocket socket = local.open(id, user, issued);
        socket.admitted = notes.send(socket.user, List.of(socket), Set.of(), settings.socketsPerUser())
                .handle((noted, failed) -> {
                    boolean full = failed == null && noted.isEmpty();
                    if (!full && socket.out() == null) {
                        return Answer.ok(user);
                    }
                    local.forget(socket);
                    return Answer.refused(full ? TOO_MANY_SOCKETS : refusal(socket));
                });
        return socket.admitted;
    }

    private static PresenceError refusal(UserSocket expelled) {
        return expelled.isRevoked() ? REVOKED : DISCONNECTED;
    }

    @Override
    public void attach(UserListener.Sockets sockets) {
        connected = sockets;
    }

    /** The rooms that the user's sockets on this node are in. */
    private Set<RoomId> roomsOf(LocalUser user) {
        Set<RoomId> rooms = new HashSet<>();
        for (UserSocket socket : user.sockets.values()) {
            if (!socket.isGone()) {
                rooms.addAll(connected.rooms(socket.id));
            }
        }
        return rooms;
    }

    /** The store wants a socket closed. It is kept until it is gone, so that nothing more is done for it. */
    private void disconnect(UserSocket socket, String message) {
        if (socket.expel(message)) {
            connected.disconnect(socket.id, message);
        }
    }

    @Override
    public CompletionStage<Void> joined(SocketId id, Seat seat, boolean focus) {
        LocalUser known = local.user(seat.user());
        LocalUser user = known != null ? known : new LocalUser(seat.user());
        UserSocket looking = focus ? user.sockets.get(id) : null;
        if (looking != null) {
            looking.look(seat.room());
        }
        return send(user, looking, Set.of(seat.room()));
    }

    @Override
    public CompletionStage<Void> left(SocketId id, Seat seat) {
        UserSocket socket = local.socket(id);
        return socket != null && socket.user.id.equals(seat.user()) && socket.looksAt(seat.room())
                ? lookAway(socket)
                : DONE;
    }

    @Override
    public CompletionStage<Void> kicked(Seat seat) {
        return store.putOut(seat.room(), seat.user()).handleAsync((done, failed) -> null, loop);
    }

    @Override
    public CompletionStage<Void> restrict(SocketId id, Predicate<RoomId> permitted) {
        UserSocket socket = local.socket(id);
        return socket == null || socket.looksOnlyAt(permitted) ? DONE : lookAway(socket);
    }

    private CompletionStage<Void> lookAway(UserSocket socket) {
        socket.look(null);
        return send(socket.user, socket, Set.of());
    }

    @Override
    public CompletionStage<Void> disconnected(SocketId id) {
        UserSocket socket = local.socket(id);
        if (socket == null) {
            return DONE;
        }
        local.close(socket);
        socket.leave(loop.nanos());
        // Not before the word that it came, which would bring it back.
        return socket.admitted.thenCompose(
                admitted -> admitted instanceof Answer.Ok ? send(socket.user, socket, Set.of()) : DONE);
    }

    private CompletionStage<Void> send(LocalUser user, @Nullable UserSocket socket, Set<RoomId> seats) {
        return notes.send(user, socket == null ? List.of() : List.of(socket), seats, 0)
                .handle((noted, failed) -> null);
    }

    // What becomes of nodes

    @Override
    public void gone(Map<String, Instant> nodes) {
        notes.passOver(nodes);
    }

    /** To the others what this node had said does not count any more. */
    @Override
    public void lost() {
        recover();
    }

    // What others ask and tell

    /** What there is to know about users, in the order asked. */
    public CompletionStage<Answer<List<UserStatus>>> status(List<UserId> users) {
        return answer(store.status(users));
    }

    /** The rooms that the user is in, each of them seen alive for this answer. */
    public CompletionStage<Answer<List<RoomId>>> rooms(UserId user) {
        return answer(store.rooms(user)
                .thenApply(rooms -> rooms.stream()
                        .sorted((a, b) -> a.value().compareTo(b.value()))
                        .toList()));
    }

    /** The user's counters that are above zero. */
    public CompletionStage<Answer<Map<RoomId, Long>>> unread(UserId user) {
        return answer(store.unread(user));
    }

    /** The user's counters of these rooms, in the order asked. */
    public CompletionStage<Answer<Map<RoomId, Long>>> unread(UserId user, List<RoomId> rooms) {
        return answer(store.unread(user, rooms));
    }

    /** Sets the user's counter of a room to zero. */
    public CompletionStage<Answer<Seat>> clearUnread(RoomId room, UserId user) {
        return answer(store.clearUnread(room, user).thenApply(done -> new Seat(room, user)));
    }

    /**
     * Counts a message for everybody who is not looking at the room, and tells those of them who are online. If it is
     * not available, it may have been counted for some.
     */
    public CompletionStage<Answer<List<Delivery>>> message(Message message) {
        return answer(deliveries.deliver(message));
    }

    /**
     * Closes all the user's sockets on all nodes.
     *
     * @param message what the user is told, null for the usual words
     * @param revocation how long to refuse the tokens that were issued until now, null to revoke none
     */
    CompletionStage<Answer<UserStore.Expelled>> expel(
            UserId user, @Nullable String message, @Nullable Duration revocation) {
        return answer(store.expel(user, message, revocation));
    }

    /** How many users are online in all. A user who came or went a moment ago may not be counted so yet. */
    public CompletionStage<Answer<Long>> online() {
        return answer(store.online());
    }

    private <T> CompletionStage<Answer<T>> answer(CompletionStage<T> step) {
        return step.handleAsync(
                (value, failed) -> failed == null ? Answer.ok(value) : Answer.refused(PresenceError.unavailable()),
                loop);
    }

    // What this node's sockets hear

    private void tell(UserId id, SocketMessage message) {
        LocalUser user = local.user(id);
        if (user == null) {
            return;
        }
        if (message instanceof SocketMessage.Unread unread) {
            user.remember(unread.room(), unread.unread());
        }
        user.sockets.keySet().forEach(socket -> sockets.send(socket, message));
    }

    /** Tells a user's sockets all counters, those included that are zero now and were not when they last heard. */
    private CompletionStage<Void> tellAgain(LocalUser user) {
        user.watch();
        return store.unread(user.id)
                .thenAcceptAsync(
                        unread -> {
                            Map<RoomId, Long> counters = new HashMap<>(unread);
                            user.told().forEach(room -> counters.putIfAbsent(room, 0L));
                            // What was heard since the question may be newer than the answer.
                            counters.keySet().removeAll(user.heard());
                            counters.forEach((room, count) -> tell(user.id, new SocketMessage.Unread(room, count)));
                        },
                        loop);
    }

    /** Tells the store everything again, and the sockets what they may have missed; tries until it has worked. */
    private void recover() {
        missed = true;
        if (!recovering) {
            recoverOnce();
        }
    }

    private void recoverOnce() {
        recovering = true;
        missed = false;
        notes.catchUp().thenRunAsync(() -> tellAgain(local.all()), loop);
    }

    /** Those who cannot be told now are tried again, alone: the others need not wait for them. */
    private void tellAgain(List<LocalUser> users) {
        Set<LocalUser> untold = new HashSet<>();
        Stages.inBatches(
                        users,
                        AT_ONCE,
                        user -> tellAgain(user)
                                .handleAsync(
                                        (done, failed) -> {
                                            if (failed != null && local.user(user.id) == user) {
                                                untold.add(user);
                                            }
                                            return null;
                                        },
                                        loop))
                .thenRunAsync(
                        () -> {
                            recovering = missed || !untold.isEmpty();
                            if (missed) {
                                // It may have been missed by those who were told already.
                                loop.after(RETRY, this::recoverOnce);
                            } else if (recovering) {
                                loop.after(RETRY, () -> tellAgain(List.copyOf(untold)));
                            }
                        },
                        loop);
    }

    private final class Hearing implements UserStore.Listener {
        @Override
        public void unread(UserId user, RoomId room, long unread) {
            loop.execute(() -> tell(user, new SocketMessage.Unread(room, unread)));
        }

        @Override
        public void notified(UserStore.News news) {
            loop.execute(() -> news.unread()
                    .forEach((user, unread) -> tell(
                            user, new SocketMessage.Notification(news.room(), news.sender(), unread, news.data()))));
        }

        @Override
        public void putOut(SocketId id, long turn, RoomId room) {
            loop.execute(() -> {
                UserSocket socket = local.socket(id);
                if (socket != null && socket.stillLooksAt(room, turn)) {
                    lookAway(socket);
                }
            });
        }

        @Override
        public void expelled(List<SocketId> ids, String message) {
            loop.execute(() -> {
                for (SocketId id : ids) {
                    UserSocket socket = local.socket(id);
                    if (socket != null) {
                        disconnect(socket, message);
                    }
                }
            });
        }

        @Override
        public void resumed() {
            loop.execute(Users.this::recover);
        }
    }
}
