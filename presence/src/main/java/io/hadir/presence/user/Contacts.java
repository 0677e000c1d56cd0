package io.hadir.presence.user;

import io.hadir.presence.Clients;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.time.Duration;
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
 * Tells sockets when users whom they watch come online or go offline. The store says who may have; their status is
 * read once for all watchers, at most every two seconds, so a page that is reloaded tells nobody anything. Nobody
 * says so when a node dies: then the users who are online are read again and again until those of the dead node have
 * expired. Lives on the loop.
 */
final class Contacts {
    private static final Duration PERIOD = Duration.ofSeconds(2);
    private static final Duration EXPIRY_PERIOD = Duration.ofSeconds(10);
    private static final int AT_ONCE = 1000;

    private final UserStore store;
    private final Clients clients;
    private final Loop loop;
    private final UserSettings settings;
    private final Map<SocketId, Set<UserId>> bySocket = new HashMap<>();
    private final Map<UserId, Watched> watched = new HashMap<>();
    /** Whose status has to be read. */
    private Set<UserId> unsure = new LinkedHashSet<>();
    /** Users whom nobody watches any more; the store has yet to be told. */
    private Set<UserId> unwatched = new LinkedHashSet<>();
    /** What sockets have not been told yet. */
    private Map<SocketId, Map<UserId, SocketMessage.Online>> news = new LinkedHashMap<>();

    private long questions;
    private boolean planned;
    private boolean renewing;
    /** How often the users who are online will be read because of a dead node. */
    private long expiryReads;

    private boolean awaitingExpiry;

    private static final class Watched {
        final Set<SocketId> sockets = new HashSet<>();
        /** Those of the sockets whose question got no answer about this user, or an old one. */
        final Set<SocketId> owed = new HashSet<>();
        /** What all watchers know or will be told; null before the first answer. */
        @Nullable
        Boolean online;
        /** The number of the question that this answers. */
        long question;
    }

    Contacts(UserStore store, Clients clients, Loop loop, UserSettings settings) {
        this.store = store;
        this.clients = clients;
        this.loop = loop;
        this.settings = settings;
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
            unwatched.removeAll(bySocket.get(socket));
            renewLater();
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
        Map<UserId, SocketMessage.Online> untold = news.get(socket);
        if (untold != null) {
            untold.remove(id);
        }
        Watched user = watched.get(id);
        if (user != null) {
            user.sockets.remove(socket);
            user.owed.remove(socket);
            if (user.sockets.isEmpty()) {
                watched.remove(id);
                unwatched.add(id);
                plan();
            }
        }
    }

    /** A user may have come online or gone offline. */
    void changed(UserId user) {
        if (watched.containsKey(user)) {
            unsure.add(user);
            plan();
        }
    }

    /** What the store said meanwhile may be lost, or what it knew of the watched users. */
    void readAgain() {
        unsure.addAll(watched.keySet());
        plan();
    }

    /** A node is dead. Its users are online until their time is over, and nobody will say so. */
    void awaitExpiry() {
        expiryReads = 1 + settings.online().dividedBy(EXPIRY_PERIOD);
        if (!awaitingExpiry) {
            awaitingExpiry = true;
            loop.after(EXPIRY_PERIOD, this::readOnline);
        }
    }

    private void readOnline() {
        watched.forEach((id, user) -> {
            if (Boolean.TRUE.equals(user.online)) {
                unsure.add(id);
            }
        });
        plan();
        awaitingExpiry = --expiryReads > 0;
        if (awaitingExpiry) {
            loop.after(EXPIRY_PERIOD, this::readOnline);
        }
    }

    /** Says again whom this node watches before the store forgets it. */
    private void renewLater() {
        if (!renewing) {
            renewing = true;
            loop.after(settings.report(), () -> {
                renewing = false;
                if (!watched.isEmpty()) {
                    readAgain();
                    renewLater();
                }
            });
        }
    }

    private void plan() {
        if (!planned && !(unsure.isEmpty() && news.isEmpty() && unwatched.isEmpty())) {
            planned = true;
            loop.after(PERIOD, this::readAndTell);
        }
    }

    private void readAndTell() {
        Set<UserId> asked = unsure;
        unsure = new LinkedHashSet<>();
        asked.retainAll(watched.keySet());
        if (!unwatched.isEmpty()) {
            // If this fails, the store forgets by itself.
            store.unwatch(unwatched);
            unwatched = new LinkedHashSet<>();
        }
        Stages.inSlices(
                        List.copyOf(asked),
                        AT_ONCE,
                        users -> ask(users, null)
                                .thenAccept(answer -> answer.forEach(status -> asked.remove(status.user()))))
                .whenCompleteAsync(
                        (done, failed) -> {
                            // Those that the store could not answer.
                            unsure.addAll(asked);
                            tell();
                            planned = false;
                            plan();
                        },
                        loop);
    }

    private void tell() {
        Map<SocketId, Map<UserId, SocketMessage.Online>> told = news;
        news = new LinkedHashMap<>();
        told.forEach((socket, users) -> {
            if (!users.isEmpty()) {
                clients.send(socket, new SocketMessage.Statuses(List.copyOf(users.values())));
            }
        });
    }

    /** @param asking the socket that gets the answer itself, null if none does */
    private CompletionStage<List<SocketMessage.Online>> ask(List<UserId> users, @Nullable SocketId asking) {
        long question = ++questions;
        return Stages.on(loop, store.watch(users)).thenApply(answer -> {
            answer.forEach(status -> compare(status, question, asking));
            if (asking != null && answer.size() < users.size()) {
                Set<UserId> unanswered = new LinkedHashSet<>(users);
                answer.forEach(status -> unanswered.remove(status.user()));
                unanswered.forEach(user -> owe(user, asking));
            }
            plan();
            return answer;
        });
    }

    private void compare(SocketMessage.Online status, long question, @Nullable SocketId asking) {
        Watched user = watched.get(status.user());
        if (user == null) {
            return;
        }
        if (user.question > question) {
            if (asking != null) {
                owe(status.user(), asking);
            }
            return;
        }
        boolean changed = user.online != null && user.online != status.online();
        user.online = status.online();
        user.question = question;
        if (asking != null) {
            user.owed.remove(asking);
            Map<UserId, SocketMessage.Online> untold = news.get(asking);
            if (untold != null) {
                untold.remove(status.user());
            }
        }
        for (SocketId socket : changed ? user.sockets : user.owed) {
            if (!socket.equals(asking)) {
                news.computeIfAbsent(socket, first -> new LinkedHashMap<>()).put(status.user(), status);
            }
        }
        user.owed.clear();
    }

    /** The socket still has to be told the status of a user. */
    private void owe(UserId id, SocketId socket) {
        Watched user = watched.get(id);
        if (user != null && user.sockets.contains(socket)) {
            user.owed.add(socket);
            unsure.add(id);
        }
    }
}
