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
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.UserUpdate.SocketState;
import io.hadir.presence.sweep.LeaseKeeper;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One node's part in who is online, which room each user focuses, and what they have not read.
 *
 * <p>The {@link UserStore} alone has the truth. A node only remembers whose its sockets are and which room each of them
 * focuses, so it can update the store again and send messages to the right sockets. Methods may be called from any
 * thread and complete on the {@link Loop}, where the state lives. During an outage sockets are admitted, and the
 * store is updated afterwards.
 */
public final class Users implements UserListener, LeaseKeeper.Listener {
    private static final PresenceError TOO_MANY_SOCKETS =
            PresenceError.of(ErrorCode.LIMIT_EXCEEDED, "the user has too many connections");
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
    private static final int NO_LIMIT = 0;
    private static final int AT_ONCE = 200;
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final UserStore store;
    private final Clients clients;
    private final Loop loop;
    private final UserSettings settings;
    private final LocalUsers local = new LocalUsers();
    private final UserRenewals renewals;
    private final Deliveries deliveries;
    private final Contacts contacts;
    private UserListener.Sockets sockets = NO_SOCKETS;
    private boolean recovering;
    private boolean missed;

    public Users(UserStore store, Clients clients, Loop loop, UserSettings settings) {
        this.store = store;
        this.clients = clients;
        this.loop = loop;
        this.settings = settings;
        renewals = new UserRenewals(store, local, loop, settings, socket -> sockets.rooms(socket.id), this::disconnect);
        deliveries = new Deliveries(store);
        contacts = new Contacts(store, clients, loop, settings);
        store.listen(new StoreListener());
    }

    /** Begins to renew this node's users in the store. */
    public void start() {
        loop.execute(renewals::start);
    }

    /**
     * How many users this node leads: each user online is led by one of the nodes that have their sockets. On the
     * loop.
     */
    public int led() {
        return local.led();
    }

    /**
     * Admits a socket of this user; {@code limit_exceeded} if the user has too many, {@code unauthenticated} if its
     * token was revoked. If the store does not answer, the socket is admitted, and disconnected later if it must be.
     *
     * @param issued when its token was issued, the epoch if the token does not say; null if it has no token
     */
    public CompletionStage<Answer<UserId>> connect(SocketId socket, UserId user, @Nullable Instant issued) {
        return Stages.begin(loop, () -> admit(socket, user, issued, null, settings.socketsPerUser()));
    }

    /**
     * Admits a socket whose client is connected to an app. If the user was disconnected since the client connected,
     * it is admitted as well, so that it can be told, and disconnected then.
     *
     * @param age how long the client has been connected to its app
     * @param moved whether it moved here from another node. Then it is admitted however many sockets the user has,
     *     because it may still be counted there
     */
    public CompletionStage<Answer<UserId>> connectBehindApp(SocketId socket, UserId user, Duration age, boolean moved) {
        int most = moved ? NO_LIMIT : settings.socketsPerUser();
        long connectedAt = loop.nanos() - age.toNanos();
        return Stages.begin(loop, () -> admit(socket, user, null, connectedAt, most));
    }

    /** The socket is connected. Disconnects it if the store has demanded that meanwhile. */
    public void connected(SocketId id) {
        loop.execute(() -> {
            UserSocket socket = local.socket(id);
            String message = socket == null ? null : socket.closeMessage();
            if (message != null) {
                sockets.disconnect(id, message);
            }
        });
    }

    /** The socket has a newer token; false if that is revoked, and the socket keeps the old one. */
    public CompletionStage<Boolean> refresh(SocketId id, Instant issued) {
        return CompletableFuture.supplyAsync(
                () -> {
                    UserSocket socket = local.socket(id);
                    return socket != null && socket.refresh(issued);
                },
                loop);
    }

    /** The socket's client has gone before it was connected. */
    public CompletionStage<Void> abandoned(SocketId socket) {
        return Stages.begin(loop, () -> disconnected(socket, false));
    }

    /** The socket focuses a room, which sets its unread counter to zero. On the loop, in the socket's order. */
    public CompletionStage<Answer<RoomId>> focus(SocketId id, RoomId room) {
        UserSocket socket = local.socket(id);
        if (socket != null) {
            socket.focus(room);
        }
        return updateFocus(socket, room);
    }

    /** The socket no longer focuses the room. On the loop, in the socket's order. */
    public CompletionStage<Answer<RoomId>> blur(SocketId id, RoomId room) {
        UserSocket socket = local.socket(id);
        if (socket == null || !socket.focuses(room)) {
            return CompletableFuture.completedFuture(Answer.ok(room));
        }
        socket.focus(null);
        return updateFocus(socket, room);
    }

    private CompletionStage<Answer<RoomId>> updateFocus(@Nullable UserSocket socket, RoomId room) {
        return socket == null
                ? CompletableFuture.completedFuture(Answer.refused(PresenceError.unavailable()))
                : answer(renewals.update(socket.user, List.of(socket), 0).thenApply(updated -> room));
    }

    @Override
    public CompletionStage<Answer<UserId>> admit(SocketId id, UserId user) {
        return admit(id, user, null, null, settings.socketsPerUser());
    }

    @Override
    public CompletionStage<Answer<UserId>> admitMoved(SocketId id, UserId user) {
        UserSocket socket = local.socket(id);
        if (socket == null || socket.isChecked()) {
            return admit(id, user);
        }
        return renewals.update(socket.user, List.of(socket), NO_LIMIT).handle((updated, failed) -> {
            if (failed != null) {
                return Answer.refused(PresenceError.unavailable());
            }
            return socket.closeMessage() == null ? Answer.ok(user) : Answer.refused(refusal(socket));
        });
    }

    private CompletionStage<Answer<UserId>> admit(
            SocketId id, UserId user, @Nullable Instant issued, @Nullable Long connectedAt, int most) {
        UserSocket known = local.socket(id);
        if (known != null && known.user.id.equals(user)) {
            return known.closeMessage() == null
                    ? known.admitted
                    : CompletableFuture.completedFuture(Answer.refused(refusal(known)));
        }
        if (known != null) {
            // It connected for another user and was refused to act for them.
            disconnected(id, false);
        }
        UserSocket socket = local.open(id, user, issued, connectedAt, loop.nanos());
        socket.admitted = renewals.update(socket.user, List.of(socket), most).handle((updated, failed) -> {
            boolean full = failed == null && updated.isEmpty();
            if (!full && (socket.closeMessage() == null || socket.isBehindApp())) {
                return Answer.ok(user);
            }
            local.forget(socket);
            return Answer.refused(full ? TOO_MANY_SOCKETS : refusal(socket));
        });
        return socket.admitted;
    }

    private static PresenceError refusal(UserSocket socket) {
        return socket.isRevoked() ? REVOKED : DISCONNECTED;
    }

    @Override
    public void attach(UserListener.Sockets own) {
        sockets = own;
    }

    /**
     * Disconnects a socket because the store demands it. It stays known until it is gone, so it cannot be admitted
     * again.
     */
    private void disconnect(UserSocket socket, String message) {
        if (socket.disconnect(message)) {
            sockets.disconnect(socket.id, message);
        }
    }

    @Override
    public UserListener.Joining joining(SocketId id, Seat seat, boolean focus) {
        UserSocket socket = local.socket(id);
        if (socket == null || !socket.user.id.equals(seat.user())) {
            return UserListener.Joining.OF_NOBODY;
        }
        Set<RoomId> rooms = new LinkedHashSet<>(sockets.rooms(id));
        rooms.add(seat.room());
        SocketState state = socket.joining(focus ? seat.room() : null, rooms, loop.nanos());
        UserUpdate update = renewals.with(socket, state);
        return new UserListener.Joining() {
            @Override
            public UserUpdate update() {
                return update;
            }

            @Override
            public CompletionStage<Void> joined(CompletionStage<UserUpdate.Outcome> outcome) {
                socket.joined(state);
                return Stages.on(loop, outcome).handle((made, failed) -> {
                    if (failed == null) {
                        renewals.updated(socket, update, made);
                    } else {
                        unknown();
                    }
                    return null;
                });
            }

            @Override
            public void unknown() {
                renewals.repeat(socket.user);
            }
        };
    }

    @Override
    public void entered(SocketId id, Seat seat) {
        UserSocket socket = local.socket(id);
        if (socket != null && socket.user.id.equals(seat.user())) {
            update(socket);
        } else {
            store.update(new UserUpdate(seat.user(), List.of(), List.of(seat.room()), 0, Map.of()));
        }
    }

    @Override
    public CompletionStage<Void> left(SocketId id, Seat seat) {
        UserSocket socket = local.socket(id);
        return socket != null && socket.user.id.equals(seat.user()) && socket.focuses(seat.room())
                ? blur(socket)
                : DONE;
    }

    @Override
    public CompletionStage<Void> kicked(Seat seat) {
        return store.blur(seat.room(), seat.user()).handleAsync((done, failed) -> null, loop);
    }

    @Override
    public CompletionStage<Void> restrict(SocketId id, Predicate<RoomId> permitted) {
        UserSocket socket = local.socket(id);
        return socket == null || socket.focusesOnly(permitted) ? DONE : blur(socket);
    }

    private CompletionStage<Void> blur(UserSocket socket) {
        socket.focus(null);
        return update(socket);
    }

    @Override
    public CompletionStage<Void> disconnected(SocketId id, boolean held) {
        contacts.forget(id);
        UserSocket socket = local.socket(id);
        if (socket == null) {
            return DONE;
        }
        local.close(socket);
        socket.disconnected(loop.nanos(), held);
        // Only after the admission, whose update would otherwise bring the socket back.
        return socket.admitted.thenCompose(admitted -> admitted instanceof Answer.Ok ? update(socket) : DONE);
    }

    private CompletionStage<Void> update(UserSocket socket) {
        return renewals.update(socket.user, List.of(socket), 0).handle((updated, failed) -> null);
    }

    @Override
    public void gone(Map<String, Instant> nodes) {
        if (renewals.ignore(nodes)) {
            contacts.awaitExpiry();
        }
    }

    /** Other nodes have discarded what this one had recorded. */
    @Override
    public void lost() {
        recover();
        contacts.readAgain();
    }

    /**
     * From now on the socket hears when these users come online or go offline, and of no others. Answers with the
     * status of each. On the loop, in the socket's order.
     */
    public CompletionStage<Answer<List<SocketMessage.Online>>> watch(SocketId socket, List<UserId> users) {
        return answer(contacts.watch(socket, users));
    }

    /** From now on the socket may watch these users only. On the loop, in the socket's order. */
    public void restrictContacts(SocketId socket, Predicate<UserId> permitted) {
        contacts.restrict(socket, permitted);
    }

    /** The status of each user, in the order asked. */
    public CompletionStage<Answer<List<UserStatus>>> status(List<UserId> users) {
        return answer(store.status(users));
    }

    /** The rooms that the user is in. Each presence was alive when it was read. */
    public CompletionStage<Answer<List<RoomId>>> rooms(UserId user) {
        return answer(store.rooms(user)
                .thenApply(rooms -> rooms.stream()
                        .sorted((a, b) -> a.value().compareTo(b.value()))
                        .toList()));
    }

    /** The user's unread counters above zero. */
    public CompletionStage<Answer<Map<RoomId, Long>>> unread(UserId user) {
        return answer(store.unread(user));
    }

    /** The user's unread counters of these rooms, in the order asked. */
    public CompletionStage<Answer<Map<RoomId, Long>>> unread(UserId user, List<RoomId> rooms) {
        return answer(store.unread(user, rooms));
    }

    /** Sets the user's unread counter of a room to zero. */
    public CompletionStage<Answer<Seat>> clearUnread(RoomId room, UserId user) {
        return answer(store.clearUnread(room, user).thenApply(done -> new Seat(room, user)));
    }

    /**
     * Counts a message as unread for every recipient who does not focus the room, and notifies those who are online. An
     * answer of {@code presence_unavailable} may mean that it was counted for some.
     */
    public CompletionStage<Answer<List<Delivery>>> message(Message message) {
        return answer(deliveries.deliver(message));
    }

    /**
     * Disconnects all the user's sockets on all nodes.
     *
     * @param message the text for the user, null for the standard text
     * @param revocation how long to refuse the tokens that were issued until now, null to revoke none
     */
    CompletionStage<Answer<UserStore.Disconnected>> disconnect(
            UserId user, @Nullable String message, @Nullable Duration revocation) {
        return answer(store.disconnect(user, message, revocation));
    }

    private <T> CompletionStage<Answer<T>> answer(CompletionStage<T> step) {
        return step.handleAsync(
                (value, failed) -> failed == null ? Answer.ok(value) : Answer.refused(PresenceError.unavailable()),
                loop);
    }

    private void sendToSockets(UserId id, SocketMessage message) {
        LocalUser user = local.user(id);
        if (user == null) {
            return;
        }
        if (message instanceof SocketMessage.Unread unread) {
            user.remember(unread.room(), unread.unread());
        }
        user.sockets.keySet().forEach(socket -> clients.send(socket, message));
    }

    /** Sends all unread counters to a user's sockets, also those that have fallen to zero since they were last sent. */
    private CompletionStage<Void> resendUnread(LocalUser user) {
        user.trackUnread();
        return store.unread(user.id)
                .thenAcceptAsync(
                        unread -> {
                            Map<RoomId, Long> counters = new HashMap<>(unread);
                            user.unreadRooms().forEach(room -> counters.putIfAbsent(room, 0L));
                            // A counter that changed since the question may be newer than the answer.
                            counters.keySet().removeAll(user.stopTracking());
                            counters.forEach(
                                    (room, count) -> sendToSockets(user.id, new SocketMessage.Unread(room, count)));
                        },
                        loop);
    }

    /** Updates the store with all users and the sockets with all counters; retries until both have worked. */
    private void recover() {
        missed = true;
        if (!recovering) {
            recoverOnce();
        }
    }

    private void recoverOnce() {
        recovering = true;
        missed = false;
        renewals.catchUp().thenRunAsync(() -> resendUnread(local.all()), loop);
    }

    /** Retries only the users for whom it failed. */
    private void resendUnread(List<LocalUser> users) {
        Set<LocalUser> failing = new HashSet<>();
        Stages.inBatches(
                        users,
                        AT_ONCE,
                        user -> resendUnread(user)
                                .handleAsync(
                                        (done, failed) -> {
                                            if (failed != null && local.user(user.id) == user) {
                                                failing.add(user);
                                            }
                                            return null;
                                        },
                                        loop))
                .thenRunAsync(
                        () -> {
                            recovering = missed || !failing.isEmpty();
                            if (missed) {
                                // Users who were done before may have missed something since.
                                loop.after(RETRY, this::recoverOnce);
                            } else if (recovering) {
                                loop.after(RETRY, () -> resendUnread(List.copyOf(failing)));
                            }
                        },
                        loop);
    }

    private final class StoreListener implements UserStore.Listener {
        @Override
        public void unread(UserId user, RoomId room, long unread) {
            loop.execute(() -> sendToSockets(user, new SocketMessage.Unread(room, unread)));
        }

        @Override
        public void notified(UserStore.News news) {
            loop.execute(() -> news.unread()
                    .forEach((user, unread) -> sendToSockets(
                            user, new SocketMessage.Notification(news.room(), news.sender(), unread, news.data()))));
        }

        @Override
        public void blurred(SocketId id, long turn, RoomId room) {
            loop.execute(() -> {
                UserSocket socket = local.socket(id);
                if (socket != null && socket.stillFocuses(room, turn)) {
                    blur(socket);
                }
            });
        }

        @Override
        public void disconnected(List<SocketId> ids, String message) {
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
        public void leads(UserId id) {
            loop.execute(() -> {
                LocalUser user = local.user(id);
                if (user != null) {
                    renewals.report(user);
                }
            });
        }

        @Override
        public void watched(UserId user) {
            loop.execute(() -> contacts.changed(user));
        }

        @Override
        public void resumed() {
            loop.execute(() -> {
                recover();
                contacts.readAgain();
            });
        }
    }
}
