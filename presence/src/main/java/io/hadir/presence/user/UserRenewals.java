package io.hadir.presence.user;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.UserStore.Noted;
import io.hadir.presence.user.UserStore.Renewal;
import io.hadir.presence.user.UserStore.SocketState;
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
    private Map<UserId, Noted> news = new HashMap<>();
    private Map<String, Instant> gone = Map.of();
    /** Users whose last change did not reach the store. */
    private Set<LocalUser> behind = new LinkedHashSet<>();

    /**
     * @param roomsOf the rooms that a user is in with sockets of this node
     * @param disconnect closes a socket that the store wants closed, with a message
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
            tell(late.stream().filter(user -> local.user(user.id) == user).toList());
        }
        flush();
        start();
    }

    /** Updates the count of online users. */
    CompletionStage<Void> flush() {
        Map<UserId, Noted> fresh = news;
        news = new HashMap<>();
        return store.countOnline(fresh);
    }

    /** Renews all users at once; completes when the store has answered or failed to. */
    CompletionStage<Void> catchUp() {
        return tell(local.all());
    }

    /** Users that the store did not hear about are behind; the others do not wait for them. */
    private CompletionStage<Void> tell(List<LocalUser> users) {
        return Stages.inBatches(users, AT_ONCE, user -> renew(user).exceptionally(failed -> null));
    }

    /** Ignores what these dead nodes said from now on, and corrects the users who are here at once. */
    void passOver(Map<String, Instant> nodes) {
        boolean more = !gone.entrySet().containsAll(nodes.entrySet());
        gone = Map.copyOf(nodes);
        if (more) {
            catchUp();
        }
    }

    /** Users with a single socket, nearly all, are renewed together. */
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
                                Noted noted = renewed.get(renewal.user());
                                if (noted != null) {
                                    took(socket.user, List.of(socket), List.of(renewal.socket()), noted);
                                } else if (local.user(renewal.user()) == socket.user) {
                                    renew(socket.user);
                                }
                            }),
                            loop);
        }
    }

    private CompletionStage<Void> renew(LocalUser user) {
        giveUp(user);
        List<UserSocket> sockets =
                user.sockets.values().stream().filter(UserSocket::isDecided).toList();
        return send(user, sockets, roomsOf.apply(user), 0).thenAccept(noted -> {});
    }

    /** Forgets sockets that went during an outage: by now they have expired in the store, too. */
    private void giveUp(LocalUser user) {
        Duration online = settings.online();
        for (UserSocket socket : List.copyOf(user.sockets.values())) {
            if (socket.isGone() && loop.nanos() - socket.goneAt() > online.toNanos()) {
                local.forget(socket);
            }
        }
    }

    /** Sends these sockets to the store; a failure is repeated with the next renewal. */
    CompletionStage<Optional<Noted>> send(
            LocalUser user, List<UserSocket> sockets, Collection<RoomId> seats, int most) {
        List<SocketState> states = sockets.stream().map(UserSocket::state).toList();
        return store.note(user.id, states, List.copyOf(seats), most, gone)
                .whenCompleteAsync(
                        (noted, failed) -> {
                            if (failed != null) {
                                behind.add(user);
                            } else if (noted.isPresent()) {
                                took(user, sockets, states, noted.get());
                            }
                        },
                        loop);
    }

    private void took(LocalUser user, List<UserSocket> sockets, List<SocketState> states, Noted noted) {
        news.put(user.id, noted);
        user.revoke(noted.revoked());
        for (int i = 0; i < states.size(); i++) {
            String out = noted.out().get(states.get(i).socket());
            if (out != null) {
                disconnect.accept(sockets.get(i), out);
                continue;
            }
            noted(sockets.get(i), states.get(i), noted.since().get(i));
        }
    }

    private void noted(UserSocket socket, SocketState state, long since) {
        socket.noted(state, since);
        if (!state.here()) {
            local.forget(socket);
        } else if (!socket.user.sockets.containsKey(socket.id)) {
            // It went meanwhile, and this may have come after the word of that.
            store.note(socket.user.id, List.of(socket.goneState()), List.of(), 0, gone);
        }
    }
}
