package io.hadir.user;

import io.hadir.presence.Loop;
import io.hadir.presence.RoomId;
import io.hadir.presence.Stages;
import io.hadir.presence.UserId;
import io.hadir.user.UserStore.Noted;
import io.hadir.user.UserStore.Renewal;
import io.hadir.user.UserStore.SocketState;
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

/**
 * Tells the store about this node's users, and again before it forgets: a few users at every tick, so that each is
 * renewed in time, and all of them as soon as the store answers again after it did not. Lives on the loop.
 */
final class Notes {
    private static final int TICKS = 30;
    private static final int AT_ONCE = 500;

    private final UserStore store;
    private final LocalUsers local;
    private final Loop loop;
    private final UserSettings settings;
    private final BiConsumer<LocalSocket, String> expel;
    private Map<UserId, Noted> news = new HashMap<>();
    private Map<String, Instant> gone = Map.of();
    /** Of whom the store has not heard what it should have. */
    private Set<LocalUser> behind = new LinkedHashSet<>();

    /** @param expel is told of sockets that the store wants closed, and what to tell them */
    Notes(UserStore store, LocalUsers local, Loop loop, UserSettings settings, BiConsumer<LocalSocket, String> expel) {
        this.expel = expel;
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

    /** Brings the count of all who are online up to date. */
    CompletionStage<Void> flush() {
        Map<UserId, Noted> fresh = news;
        news = new HashMap<>();
        return store.countOnline(fresh);
    }

    /** Tells the store about all users at once; completes when it knows, or does not answer. */
    CompletionStage<Void> catchUp() {
        return tell(local.all());
    }

    /** Those of whom it could not be told are behind; the others need not wait for them. */
    private CompletionStage<Void> tell(List<LocalUser> users) {
        return Stages.inBatches(users, AT_ONCE, user -> renew(user).exceptionally(failed -> null));
    }

    /** From now on what these nodes said does not count; what follows for users who are here is put right at once. */
    void passOver(Map<String, Instant> nodes) {
        boolean more = !gone.entrySet().containsAll(nodes.entrySet());
        gone = Map.copyOf(nodes);
        if (more) {
            catchUp();
        }
    }

    /** Of those with a single socket, nearly all, it is said together. */
    private void renew(List<LocalUser> users) {
        Map<LocalSocket, Renewal> single = new LinkedHashMap<>();
        for (LocalUser user : users) {
            LocalSocket only =
                    user.sockets.size() == 1 ? user.sockets.values().iterator().next() : null;
            if (only != null && only.isDecided() && !only.isGone()) {
                single.put(only, new Renewal(user.id, only.state(), List.copyOf(user.seats())));
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
        List<LocalSocket> sockets =
                user.sockets.values().stream().filter(LocalSocket::isDecided).toList();
        return send(user, sockets, user.seats(), 0).thenAccept(noted -> {});
    }

    /** By now a socket that went during an outage has been forgotten by the store, too. */
    private void giveUp(LocalUser user) {
        Duration online = settings.online();
        for (LocalSocket socket : List.copyOf(user.sockets.values())) {
            if (socket.isGone() && loop.nanos() - socket.goneAt() > online.toNanos()) {
                local.forget(socket);
            }
        }
    }

    /** Tells the store about these sockets; what it does not hear now, it hears with the next renewal. */
    CompletionStage<Optional<Noted>> send(
            LocalUser user, List<LocalSocket> sockets, Collection<RoomId> seats, int most) {
        List<SocketState> states = sockets.stream().map(LocalSocket::state).toList();
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

    private void took(LocalUser user, List<LocalSocket> sockets, List<SocketState> states, Noted noted) {
        news.put(user.id, noted);
        user.revoke(noted.revoked());
        for (int i = 0; i < states.size(); i++) {
            String out = noted.out().get(states.get(i).socket());
            if (out != null) {
                expel.accept(sockets.get(i), out);
                continue;
            }
            noted(sockets.get(i), states.get(i), noted.since().get(i));
        }
    }

    private void noted(LocalSocket socket, SocketState state, long since) {
        socket.noted(state, since);
        if (!state.here()) {
            local.forget(socket);
        } else if (!socket.user.sockets.containsKey(socket.id)) {
            // It went meanwhile, and this may have come after the word of that.
            store.note(socket.user.id, List.of(socket.goneState()), List.of(), 0, gone);
        }
    }
}
