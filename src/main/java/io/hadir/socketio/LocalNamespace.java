package io.hadir.socketio;

import io.hadir.engineio.SessionBatch;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Set;
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
    private final ConcurrentHashMap<String, Set<LocalSocket>> groups = new ConcurrentHashMap<>();

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
        Set<LocalSocket> members = groups.get(group);
        if (members == null) {
            return;
        }
        List<ByteBuf> frames = encoder.event(name, Packet.NO_ID, event, arguments);
        SessionBatch batch = new SessionBatch();
        int reached = 0;
        for (LocalSocket member : members) {
            batch.send(member.session(), frames);
            reached++;
        }
        counts.deliver(reached);
        batch.run();
        frames.forEach(ByteBuf::release);
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

    void join(String group, LocalSocket socket) {
        groups.compute(group, (key, members) -> {
            Set<LocalSocket> set = members == null ? ConcurrentHashMap.newKeySet() : members;
            set.add(socket);
            return set;
        });
    }

    void leave(String group, LocalSocket socket) {
        groups.computeIfPresent(group, (key, members) -> {
            members.remove(socket);
            return members.isEmpty() ? null : members;
        });
    }
}
