package io.hadir.socketio;

import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionBatch;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A namespace of this node: its listener, its sockets and their groups. */
final class LocalNamespace implements Namespace {
    private final String name;
    private final SocketListener listener;
    private final PacketEncoder encoder;
    private final SocketCounts counts;
    private final ConcurrentHashMap<String, LocalSocket> sockets = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<String, Group> groups = new ConcurrentHashMap<>();

    LocalNamespace(
            String name,
            Function<Namespace, ? extends SocketListener> listener,
            PacketEncoder encoder,
            SocketCounts counts) {
        this.name = name;
        this.encoder = encoder;
        this.counts = counts;
        this.listener = listener.apply(this);
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

    @Override
    public void broadcast(String group, String event, @Nullable Object... arguments) {
        Group known = groups.get(group);
        if (known == null) {
            return;
        }
        List<ByteBuf> frames = encoder.event(name, Packet.NO_ID, event, arguments);
        SessionBatch batch = new SessionBatch();
        try {
            List<Session> members = known.members();
            members.forEach(member -> batch.send(member, frames));
            counts.deliver(members.size());
        } finally {
            // Whoever was given a share is woken, whatever happened: nobody else would.
            batch.run();
            frames.forEach(ByteBuf::release);
        }
    }

    @Override
    public @Nullable Socket socket(String id) {
        return sockets.get(id);
    }

    @Override
    public int size() {
        return sockets.size();
    }

    void add(LocalSocket socket) {
        sockets.put(socket.id(), socket);
    }

    void remove(LocalSocket socket) {
        sockets.remove(socket.id());
    }

    /** A session has one socket here at most, so it stands for its socket. */
    void join(String group, Session session) {
        groups.compute(group, (key, known) -> {
            Group joined = known == null ? new Group() : known;
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
}
