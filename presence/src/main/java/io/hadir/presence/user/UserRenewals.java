package io.hadir.presence.user;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.UserUpdate.Outcome;
import io.hadir.presence.room.UserUpdate.SocketState;
import io.hadir.presence.user.UserStore.Renewal;
import io.hadir.presence.user.UserStore.Renewed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Renews this node's users in the store before they expire: a few at every tick, and all of them as soon as the store
 * is available again after an outage. Most renewals only say that nothing has changed; from time to time, all sockets
 * are reported again. A bounded number is under way at a time, so clients do not have to wait behind them. Lives on
 * the loop.
 */
final class UserRenewals {
    private static final int TICKS = 30;
    private static final int AT_ONCE = 500;

    /** A demand to disconnect a socket also ends that its user is online, which every renewal notices. */
    private static final int RENEWALS_PER_LOOK_AT_SOCKETS = 3;

    private final UserStore store;
    private final LocalUsers local;
    private final Loop loop;
    private final UserSettings settings;
    private final long reportEvery;
    private final Function<UserSocket, Collection<RoomId>> roomsOf;
    private final BiConsumer<UserSocket, String> disconnect;

    /** Dead nodes and the times of their deaths. */
    private Map<String, Instant> gone = Map.of();
    /** Users whose last update did not reach the store. */
    private Set<LocalUser> behind = new LinkedHashSet<>();

    private boolean renewing;
    /** How many users are due, times {@link #TICKS}. Grows while the renewals of an earlier tick are under way. */
    private long due;

    /**
     * @param roomsOf the rooms that a socket is in
     * @param disconnect disconnects a socket when the store demands it, with a text for the client
     */
    UserRenewals(
            UserStore store,
            LocalUsers local,
            Loop loop,
            UserSettings settings,
            Function<UserSocket, Collection<RoomId>> roomsOf,
            BiConsumer<UserSocket, String> disconnect) {
        this.roomsOf = roomsOf;
        this.disconnect = disconnect;
        this.store = store;
        this.local = local;
        this.loop = loop;
        this.settings = settings;
        this.reportEvery = settings.report().toNanos();
    }

    void start() {
        loop.after(settings.renewal().dividedBy(TICKS), this::tick);
    }

    private void tick() {
        due = Math.min(due + local.size(), (long) local.size() * TICKS);
        if (!renewing && store.isAvailable()) {
            Set<LocalUser> next = behind;
            behind = new LinkedHashSet<>();
            next.addAll(local.next((int) (due / TICKS)));
            due %= TICKS;
            renewing = true;
            renew(next).whenCompleteAsync((done, failed) -> renewing = false, loop);
        }
        start();
    }

    /** Reports the sockets of all users; completes when each report has succeeded or failed. */
    CompletionStage<Void> catchUp() {
        return Stages.inSlices(
                local.all(),
                AT_ONCE,
                users -> Stages.all(users.stream().map(this::report).toList()));
    }

    /** Discards what these dead nodes recorded about the users who are here; false if it did so before. */
    boolean ignore(Map<String, Instant> nodes) {
        boolean more = !gone.entrySet().containsAll(nodes.entrySet());
        gone = Map.copyOf(nodes);
        if (more) {
            renew(local.all());
        }
        return more;
    }

    /** A failure delays no other user: the failed ones are behind, and renewed at a later tick. */
    private CompletionStage<Void> renew(Collection<LocalUser> users) {
        return Stages.inSlices(List.copyOf(users), AT_ONCE, this::renewAtOnce);
    }

    private CompletionStage<Void> renewAtOnce(List<LocalUser> users) {
        Map<UserId, LocalUser> unchanged = new LinkedHashMap<>();
        List<Renewal> renewals = new ArrayList<>();
        List<CompletionStage<Void>> steps = new ArrayList<>();
        long now = loop.nanos();
        for (LocalUser user : users) {
            // A node that does not lead a user may have to do so, because the one that did is gone.
            if (user.isLed && user.isRecorded() && now - user.reportedAt < reportEvery) {
                unchanged.put(user.id, user);
                renewals.add(new Renewal(user.id, socketsToLookFor(user), user.focused()));
            } else {
                steps.add(report(user));
            }
        }
        if (!renewals.isEmpty()) {
            steps.add(store.renew(renewals).thenComposeAsync(renewed -> reportChanged(unchanged, renewed), loop));
        }
        return Stages.all(steps).exceptionally(failed -> null);
    }

    private static Collection<SocketId> socketsToLookFor(LocalUser user) {
        return ++user.renewals % RENEWALS_PER_LOOK_AT_SOCKETS == 0 ? List.copyOf(user.sockets.keySet()) : List.of();
    }

    private CompletionStage<Void> reportChanged(Map<UserId, LocalUser> users, Map<UserId, Renewed> renewed) {
        List<CompletionStage<Void>> steps = new ArrayList<>();
        users.forEach((id, user) -> {
            Renewed outcome = renewed.get(id);
            if (outcome == null) {
                behind.add(user);
            } else if (outcome == Renewed.CHANGED) {
                steps.add(report(user));
            }
        });
        return Stages.all(steps);
    }

    /** Reports all sockets of a user. Does not fail. */
    CompletionStage<Void> report(LocalUser user) {
        forgetExpired(user);
        List<UserSocket> sockets =
                user.sockets.values().stream().filter(UserSocket::isDecided).toList();
        if (sockets.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        long now = loop.nanos();
        return update(user, sockets, 0).handle((updated, failed) -> {
            if (failed == null) {
                user.reportedAt = now;
            }
            return null;
        });
    }

    /** Forgets sockets that disconnected during an outage: by now they have expired in the store, too. */
    private void forgetExpired(LocalUser user) {
        Duration recorded = settings.recorded();
        for (UserSocket socket : List.copyOf(user.sockets.values())) {
            if (socket.isGone() && loop.nanos() - socket.goneAt() > recorded.toNanos()) {
                local.forget(socket);
            }
        }
    }

    /** Updates these sockets in the store; a later tick repeats it if it fails. */
    CompletionStage<Optional<Outcome>> update(LocalUser user, List<UserSocket> sockets, int most) {
        List<SocketState> states = new ArrayList<>(sockets.size());
        for (UserSocket socket : sockets) {
            states.add(socket.state(roomsOf.apply(socket), loop.nanos()));
        }
        return store.update(new UserUpdate(user.id, states, List.of(), most, gone))
                .whenCompleteAsync(
                        (outcome, failed) -> {
                            if (failed != null) {
                                repeat(user);
                            } else if (outcome.isPresent()) {
                                apply(user, sockets, states, outcome.get());
                            }
                        },
                        loop);
    }

    /** An update that another step makes. {@link #updated} or {@link #repeat} follows. */
    UserUpdate with(UserSocket socket, SocketState state) {
        return new UserUpdate(socket.user.id, List.of(state), List.of(), 0, gone);
    }

    /** The store has made this update of one socket. */
    void updated(UserSocket socket, UserUpdate update, Outcome outcome) {
        apply(socket.user, List.of(socket), update.sockets(), outcome);
    }

    /** The user's last update did not reach the store, or it is not known whether it did: a later tick repeats it. */
    void repeat(LocalUser user) {
        behind.add(user);
    }

    private void apply(LocalUser user, List<UserSocket> sockets, List<SocketState> states, Outcome outcome) {
        local.lead(user, outcome.leads());
        user.revoke(outcome.revoked());
        for (int i = 0; i < states.size(); i++) {
            sockets.get(i).check();
            String message = outcome.toDisconnect().get(states.get(i).socket());
            if (message != null) {
                disconnect.accept(sockets.get(i), message);
            } else {
                recorded(sockets.get(i), states.get(i), outcome.since().get(i));
            }
        }
    }

    private void recorded(UserSocket socket, SocketState state, long since) {
        socket.recorded(state, since);
        if (!state.here()) {
            local.forget(socket);
        } else if (!socket.user.sockets.containsKey(socket.id)) {
            // It disconnected meanwhile, and this update may have reached the store after that one.
            store.update(with(socket, socket.goneState()));
        }
    }
}
