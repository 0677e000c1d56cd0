package io.hadir.socketio;

import org.jspecify.annotations.Nullable;

/** The sockets of one namespace on this node. Every method may be called from any thread and never blocks. */
public interface Namespace {
    /**
     * Sends an event to every socket in a group. It is encoded once, and arrives at each socket after whatever the
     * calling thread sent there before.
     */
    void broadcast(String group, String event, @Nullable Object... arguments);

    /** The socket of this id on this node, null if there is none. */
    @Nullable
    Socket socket(String id);

    /** How many sockets are connected on this node. */
    int size();
}
