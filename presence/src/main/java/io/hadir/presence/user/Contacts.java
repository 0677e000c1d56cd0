package io.hadir.presence.user;

import io.hadir.presence.Clients;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Tells sockets when users whom they watch come online or go offline. Reads the status of each watched user once for all their
 * watchers: every two seconds, or less often if they are many. So it also notices who went offline without a word. Lives on
 * the loop.
 */
final class Contacts {
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final int USERS_PER_PERIOD = 1000;

    private final UserStore store;
    private final Clients clients;
    private final Loop loop;
    private final Map<SocketId, Set<UserId>> bySocket = new HashMap<>();
    private final Map<UserId, Watched> watched = new HashMap<>();
    private long questions;
    private boolean planned;

    private static final class Watched {
        final Set<SocketId> sockets = new HashSet<>();
        /** What all watchers know; null before the first answer. */
        @Nullable
        Boolean online;
        /** The number of the question that this answers. */
        long question;
    }

    Contacts(UserStore store, Clients clients, Loop loop) {
        this.store = store;
        this.clients = clients;
        this.loop = loop;
    }

    /** From now on the socket watches these users and no others. Completes with the status of each. */
    CompletionStage<List<SocketMessage.Online>> watch(SocketId socket, List<UserId> users) {
        forget(socket);
        List<UserId> each = List.copyOf(new LinkedHashSet<>(users));
        if (!each.isEmpty()) {
            bySocket.put(socket, new HashSet<>(each));
            each.forEach(user -> watched.computeIfAbsent(user, first -> new Watched())
                    .sockets
                    .add(socket));
            plan();
        }
        return ask(each, socket);
    }

    /** From now on the socket watches these users only, of those that it watches. */
    void restrict(SocketId socket, Predicate<UserId> permitted) {
        Set<UserId> users = bySocket.get(socket);
        if (users != null) {
            List.copyOf(users).stream().filter(permitted.negate()).forEach(user -> {
                users.remove(user);
                unwatch(socket, user);
            });
        }
    }

    void forget(SocketId socket) {
        Set<UserId> users = bySocket.remove(socket);
        if (users != null) {
            users.forEach(user -> unwatch(socket, user));
        }
    }

    private void unwatch(SocketId socket, UserId id) {
        Watched user = watched.get(id);
        if (user != null) {
            user.sockets.remove(socket);
            if (user.sockets.isEmpty()) {
                watched.remove(id);
            }
        }
    }

    private void plan() {
        if (!planned && !watched.isEmpty()) {
            planned = true;
            Duration wait = PERIOD.multipliedBy(1 + (watched.size() - 1) / USERS_PER_PERIOD);
            loop.after(wait.compareTo(LONGEST) < 0 ? wait : LONGEST, this::poll);
        }
    }

    private void poll() {
        Stages.inSlices(
                        List.copyOf(watched.keySet()),
                        USERS_PER_PERIOD,
                        users -> ask(users, null).thenAccept(done -> {}))
                .whenCompleteAsync(
                        (done, failed) -> {
                            planned = false;
                            plan();
                        },
                        loop);
    }

    /** @param asking the socket that gets the answer itself, null if none does */
    private CompletionStage<List<SocketMessage.Online>> ask(List<UserId> users, @Nullable SocketId asking) {
        long question = ++questions;
        return Stages.on(loop, store.status(users)).thenApply(statuses -> {
            List<SocketMessage.Online> answer = statuses.stream()
                    .map(status -> new SocketMessage.Online(status.user(), status.online(), status.lastSeen()))
                    .toList();
            tell(answer, question, asking);
            return answer;
        });
    }

    private void tell(List<SocketMessage.Online> answer, long question, @Nullable SocketId asking) {
        Map<SocketId, List<SocketMessage.Online>> news = new LinkedHashMap<>();
        for (SocketMessage.Online status : answer) {
            Watched user = watched.get(status.user());
            if (user == null || user.question > question) {
                continue;
            }
            boolean changed = user.online != null && user.online != status.online();
            user.online = status.online();
            user.question = question;
            if (changed) {
                for (SocketId socket : user.sockets) {
                    if (!socket.equals(asking)) {
                        news.computeIfAbsent(socket, first -> new ArrayList<>()).add(status);
                    }
                }
            }
        }
        news.forEach((socket, users) -> clients.send(socket, new SocketMessage.Statuses(users)));
    }
}
