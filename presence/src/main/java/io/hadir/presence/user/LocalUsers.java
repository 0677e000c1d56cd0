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
    private int led;

    /** The socket; null if it is closed or has no user. */
    @Nullable
    UserSocket socket(SocketId id) {
        return sockets.get(id);
    }

    @Nullable
    LocalUser user(UserId id) {
        return users.get(id);
    }

    UserSocket open(SocketId id, UserId user, @Nullable Instant issued, @Nullable Long connectedAt, long now) {
        LocalUser owner = users.computeIfAbsent(user, added -> new LocalUser(added, now));
        UserSocket socket = new UserSocket(id, owner, issued, connectedAt);
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
            lead(socket.user, false);
            users.remove(socket.user.id, socket.user);
        }
    }

    /** Records whether this node leads the user; without effect for one who is forgotten. */
    void lead(LocalUser user, boolean leads) {
        if (user.isLed != leads && users.get(user.id) == user) {
            user.isLed = leads;
            led += leads ? 1 : -1;
        }
    }

    /** How many users this node leads. */
    int led() {
        return led;
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
