package io.hadir.server.events;

import io.hadir.socketio.Namespace;
import io.hadir.socketio.Socket;
import org.jspecify.annotations.Nullable;

/** Sockets that reach this node in one way: directly, or behind trunks. */
public interface Sockets {
    /** The socket with this id, null if it is not connected in this way. */
    @Nullable
    Socket socket(String id);

    /** Sends an event to every socket in a group. It is encoded once. */
    void broadcast(String group, String event, Object payload);

    /** Puts a socket into the group of a room, which has this revision. */
    default void enter(String id, String group, long revision) {
        Socket socket = socket(id);
        if (socket != null) {
            socket.join(group);
        }
    }

    /** A socket was removed from its last room; disconnects it, unless its app decides that. */
    default void removed(String id) {
        Socket socket = socket(id);
        if (socket != null) {
            socket.disconnect();
        }
    }

    /** The sockets of a namespace. */
    static Sockets of(Namespace namespace) {
        return new Sockets() {
            @Override
            public @Nullable Socket socket(String id) {
                return namespace.socket(id);
            }

            @Override
            public void broadcast(String group, String event, Object payload) {
                namespace.broadcast(group, event, payload);
            }
        };
    }
}
