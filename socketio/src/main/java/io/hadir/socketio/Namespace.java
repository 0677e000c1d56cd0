package io.hadir.socketio;

import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionBatch;
import io.netty.buffer.ByteBuf;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The sockets of one namespace on this server, and their groups. Methods are safe for any thread and never block. */
public final class Namespace {
    private final String name;
    private final SocketListener listener;
    private final PacketEncoder encoder;
    private final SocketCounts counts;
    private final ConcurrentHashMap<String, NamespaceSocket> sockets = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>();

    Namespace(
            String name,
            Function<Namespace, ? extends SocketListener> listener,
            PacketEncoder encoder,
            SocketCounts counts) {
        this.name = name;
        this.encoder = encoder;
        this.counts = counts;
        this.listener = listener.apply(this);
    }

    /**
     * Sends an event to every socket in a group. It is encoded once, and each socket gets it after everything that the
     * calling thread sent to that socket before.
     */
    public void broadcast(String group, String event, @Nullable Object... arguments) {
        Group receivers = groups.get(group);
        if (receivers == null) {
            return;
        }
        List<ByteBuf> frames = encoder.event(name, Packet.NO_ID, event, arguments);
        SessionBatch batch = new SessionBatch();
        try {
            List<Session> members = receivers.members();
            members.forEach(member -> batch.send(member, frames));
            counts.countDeliveries(members.size());
        } finally {
            // Sessions that have got the frames must be woken even after a failure: nothing else would wake them.
            batch.run();
            frames.forEach(ByteBuf::release);
        }
    }

    /** Returns the socket with this id, null if it is not connected to this server. */
    public @Nullable Socket socket(String id) {
        return sockets.get(id);
    }

    /** The number of connected sockets. */
    public int size() {
        return sockets.size();
    }

    String name() {
        return name;
    }

    SocketListener listener() {
        return listener;
    }

    PacketEncoder encoder() {
        return encoder;
    }

    void add(NamespaceSocket socket) {
        sockets.put(socket.id(), socket);
    }

    void remove(NamespaceSocket socket) {
        sockets.remove(socket.id());
    }

    /** A session has at most one socket in a namespace, so it represents that socket. */
    void join(String group, Session session) {
        groups.compute(group, (key, existing) -> {
            Group joined = existing == null ? new Group() : existing;
            joined.add(session);
            return joined;
        });
    }

    void leave(String group, Session session) {
        groups.computeIfPresent(group, (key, left) -> {
            left.remove(session);
            return left.isEmpty() ? null : left;
        });
    }

    /**
     * The sessions of a group in the order of joining. Sessions that join together lie close together in memory, here
     * and in the kernel, so a broadcast in this order costs less CPU time than in hash order.
     */
    private static final class Group {
        private final Set<Session> members = new LinkedHashSet<>();

        synchronized void add(Session session) {
            members.add(session);
        }

        synchronized void remove(Session session) {
            members.remove(session);
        }

        synchronized boolean isEmpty() {
            return members.isEmpty();
        }

        /** Returns a snapshot. */
        synchronized List<Session> members() {
            return List.copyOf(members);
        }
    }
}
