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

/** The users who have sockets on this node, in the order in which they are due for renewal. Lives on the loop. */
final class LocalUsers {
    private final Map<SocketId, UserSocket> sockets = new HashMap<>();
    private final Map<UserId, LocalUser> users = new LinkedHashMap<>();

    /** The socket; null if it is closed or has no user. */
    @Nullable
    UserSocket socket(SocketId id) {
        return sockets.get(id);
    }

    @Nullable
    LocalUser user(UserId id) {
        return users.get(id);
    }

    UserSocket open(SocketId id, UserId user, @Nullable Instant issued) {
        UserSocket socket = new UserSocket(id, users.computeIfAbsent(user, LocalUser::new), issued);
        sockets.put(id, socket);
        socket.user.sockets.put(id, socket);
        return socket;
    }

    /** Closes a socket. Its user keeps it until the store knows that it is gone. */
    void close(UserSocket socket) {
        sockets.remove(socket.id, socket);
    }

    /** Forgets a socket, and with the last one its user. */
    void forget(UserSocket socket) {
        sockets.remove(socket.id, socket);
        socket.user.sockets.remove(socket.id, socket);
        if (socket.user.sockets.isEmpty()) {
            users.remove(socket.user.id, socket.user);
        }
    }

    List<LocalUser> all() {
        return List.copyOf(users.values());
    }

    int size() {
        return users.size();
    }

    /** The users who have waited longest; they move to the end of the queue. */
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
