package io.hadir.presence.user;

import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The users who have sockets on this node, the one whose turn it is to be renewed first. Lives on the loop. */
final class LocalUsers {
    private final Map<SocketId, LocalSocket> sockets = new HashMap<>();
    private final Map<UserId, LocalUser> users = new LinkedHashMap<>();

    /** The socket, null if it is gone or nobody's. */
    @Nullable
    LocalSocket socket(SocketId id) {
        return sockets.get(id);
    }

    @Nullable
    LocalUser user(UserId id) {
        return users.get(id);
    }

    LocalUser userOrNew(UserId id) {
        return users.computeIfAbsent(id, LocalUser::new);
    }

    LocalSocket open(SocketId id, UserId user, @Nullable Instant issued) {
        LocalSocket socket = new LocalSocket(id, userOrNew(user), issued);
        sockets.put(id, socket);
        socket.user.sockets.put(id, socket);
        return socket;
    }

    /** From now on nothing is done for the socket, but its user remembers it until the store has heard. */
    void close(LocalSocket socket) {
        sockets.remove(socket.id, socket);
        socket.user.riseEverywhere(socket.id);
    }

    void forget(LocalSocket socket) {
        sockets.remove(socket.id, socket);
        socket.user.sockets.remove(socket.id, socket);
        tidy(socket.user);
    }

    /** Lets a user go of whom nothing is left here. */
    void tidy(LocalUser user) {
        if (user.isGone()) {
            users.remove(user.id, user);
        }
    }

    List<LocalUser> all() {
        return List.copyOf(users.values());
    }

    int size() {
        return users.size();
    }

    /** The users who have waited longest, so many, who go to the end of the queue. */
    List<LocalUser> next(int count) {
        List<LocalUser> first = new ArrayList<>();
        Iterator<LocalUser> waiting = users.values().iterator();
        while (first.size() < count && waiting.hasNext()) {
            first.add(waiting.next());
            waiting.remove();
        }
        first.forEach(user -> users.put(user.id, user));
        return first;
    }
}
