package io.hadir.presence.user;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.UserStore.Renewal;
import io.hadir.presence.user.UserStore.SocketState;
import io.hadir.presence.user.UserStore.Updated;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Renews this node's users in the store before they expire: a few at every tick, and all of them as soon as the store is
 * available again after an outage. Lives on the loop.
 */
final class UserRenewals {
    private static final int TICKS = 30;
    private static final int AT_ONCE = 500;

    private final UserStore store;
    private final LocalUsers local;
    private final Loop loop;
    private final UserSettings settings;
    private final Function<LocalUser, Set<RoomId>> roomsOf;
    private final BiConsumer<UserSocket, String> disconnect;
    /** Users whose state the count of online users does not include yet. */
    private Map<UserId, Updated> uncounted = new HashMap<>();

    /** Dead nodes and the times of their deaths. */
    private Map<String, Instant> gone = Map.of();
    /** Users whose last update did not reach the store. */
    private Set<LocalUser> behind = new LinkedHashSet<>();

    /**
     * @param roomsOf the rooms that a user is in with sockets of this node
     * @param disconnect disconnects a socket when the store demands it, with a text for the client
     */
    UserRenewals(
            UserStore store,
            LocalUsers local,
            Loop loop,
            UserSettings settings,
            Function<LocalUser, Set<RoomId>> roomsOf,
            BiConsumer<UserSocket, String> disconnect) {
        this.roomsOf = roomsOf;
        this.disconnect = disconnect;
        this.store = store;
        this.local = local;
        this.loop = loop;
        this.settings = settings;
    }

    void start() {
        loop.after(settings.renewal().dividedBy(TICKS), this::tick);
    }

    private void tick() {
        renew(local.next((local.size() + TICKS - 1) / TICKS));
        if (!behind.isEmpty() && store.isAvailable()) {
            Set<LocalUser> late = behind;
            behind = new LinkedHashSet<>();
            renewEach(late.stream().filter(user -> local.user(user.id) == user).toList());
        }
        flush();
        start();
    }

    /** Updates the count of online users. */
    CompletionStage<Void> flush() {
        Map<UserId, Updated> users = uncounted;
        uncounted = new HashMap<>();
        return store.countOnline(users);
    }

    /** Renews all users; completes when each renewal has succeeded or failed. */
    CompletionStage<Void> catchUp() {
        return renewEach(local.all());
    }

    /** A failure delays no other user: the failed ones are behind, and renewed at a later tick. */
    private CompletionStage<Void> renewEach(List<LocalUser> users) {
        return Stages.inBatches(users, AT_ONCE, user -> renew(user).exceptionally(failed -> null));
    }

    /** Discards what these dead nodes recorded about the users who are here. */
    void ignore(Map<String, Instant> nodes) {
        boolean more = !gone.entrySet().containsAll(nodes.entrySet());
        gone = Map.copyOf(nodes);
        if (more) {
            catchUp();
        }
    }

    /** Nearly all users have a single socket; those are renewed together. */
    private void renew(List<LocalUser> users) {
        Map<UserSocket, Renewal> single = new LinkedHashMap<>();
        for (LocalUser user : users) {
            UserSocket only =
                    user.sockets.size() == 1 ? user.sockets.values().iterator().next() : null;
            if (only != null && only.isDecided() && !only.isGone()) {
                single.put(only, new Renewal(user.id, only.state(), roomsOf.apply(user)));
            } else {
                renew(user);
            }
        }
        if (!single.isEmpty()) {
            store.renew(List.copyOf(single.values()))
                    .thenAcceptAsync(
                            renewed -> single.forEach((socket, renewal) -> {
                                Updated updated = renewed.get(renewal.user());
                                if (updated != null) {
                                    apply(socket.user, List.of(socket), List.of(renewal.socket()), updated);
                                } else if (local.user(renewal.user()) == socket.user) {
                                    renew(socket.user);
                                }
                            }),
                            loop);
        }
    }

    private CompletionStage<Void> renew(LocalUser user) {
        forgetExpired(user);
        List<UserSocket> sockets =
                user.sockets.values().stream().filter(UserSocket::isDecided).toList();
        return update(user, sockets, roomsOf.apply(user), 0).thenAccept(updated -> {});
    }

    /** Forgets sockets that disconnected during an outage: by now they have expired in the store, too. */
    private void forgetExpired(LocalUser user) {
        Duration online = settings.online();
        for (UserSocket socket : List.copyOf(user.sockets.values())) {
            if (socket.isGone() && loop.nanos() - socket.goneAt() > online.toNanos()) {
                local.forget(socket);
            }
        }
    }

    /** Updates these sockets in the store; the next tick repeats it if it fails. */
    CompletionStage<Optional<Updated>> update(
            LocalUser user, List<UserSocket> sockets, Collection<RoomId> seats, int most) {
        List<SocketState> states = sockets.stream().map(UserSocket::state).toList();
        return store.update(user.id, states, List.copyOf(seats), most, gone)
                .whenCompleteAsync(
                        (updated, failed) -> {
                            if (failed != null) {
                                behind.add(user);
                            } else if (updated.isPresent()) {
                                apply(user, sockets, states, updated.get());
                            }
                        },
                        loop);
    }

    private void apply(LocalUser user, List<UserSocket> sockets, List<SocketState> states, Updated updated) {
        uncounted.put(user.id, updated);
        user.revoke(updated.revoked());
        for (int i = 0; i < states.size(); i++) {
            String message = updated.toDisconnect().get(states.get(i).socket());
            if (message != null) {
                disconnect.accept(sockets.get(i), message);
            } else {
                recorded(sockets.get(i), states.get(i), updated.since().get(i));
            }
        }
    }

    private void recorded(UserSocket socket, SocketState state, long since) {
        socket.recorded(state, since);
        if (!state.here()) {
            local.forget(socket);
        } else if (!socket.user.sockets.containsKey(socket.id)) {
            // It disconnected meanwhile, and this update may have reached the store after that one.
            store.update(socket.user.id, List.of(socket.goneState()), List.of(), 0, gone);
        }
    }
}
