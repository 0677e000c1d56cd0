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
    private final Map<SocketId, UserSocket> sockets = new HashMap<>();
    private final Map<UserId, LocalUser> users = new LinkedHashMap<>();

    /** The socket, null if it is gone or nobody's. */
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

    /** From now on the socket is not used, but its user keeps it until the store knows that it is gone. */
    void close(UserSocket socket) {
        sockets.remove(socket.id, socket);
    }

    /** Forgets the socket, and its user with their last socket. */
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
