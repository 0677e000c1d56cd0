package io.hadir.socketio;

import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionHandler;
import io.hadir.socketio.engine.TransportConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A Socket.IO server: its namespaces, and the handler for every Engine.IO session that is opened. */
public final class SocketServer {
    private final TransportConfig config;
    private final int eventsPerSecond;
    private final SocketIds ids;
    private final PacketEncoder encoder = new PacketEncoder(ByteBufAllocator.DEFAULT);
    private final ConcurrentHashMap<String, LocalNamespace> namespaces = new ConcurrentHashMap<>();
    private final SocketCounts counts = new SocketCounts();

    /**
     * @param nodeId what every socket id starts with
     * @param eventsPerSecond how many packets one connection may send, bursts of twice that, 0 for no limit
     */
    public SocketServer(String nodeId, TransportConfig config, int eventsPerSecond) {
        this.config = config;
        this.eventsPerSecond = eventsPerSecond;
        this.ids = new SocketIds(nodeId);
        warmUp();
    }

    /** Loads what the first packet needs, so that the first client need not wait for it. */
    private void warmUp() {
        ByteBuf frame = encoder.event("/", Packet.NO_ID, "warm", new Object[] {Map.of("up", true)})
                .get(0);
        PacketDecoder.decode(Unpooled.copiedBuffer("2[\"warm\",{\"up\":true}]", StandardCharsets.UTF_8));
        frame.release();
    }

    /**
     * Opens a namespace, whose name is ASCII and starts with a slash, with the listener that is made for it.
     *
     * @return that listener
     */
    @SuppressWarnings("unchecked") // it is what the function made
    public <L extends SocketListener> L open(String name, Function<Namespace, L> listener) {
        LocalNamespace namespace = new LocalNamespace(name, listener, encoder, counts);
        namespaces.put(name, namespace);
        return (L) namespace.listener();
    }

    /** How many sockets are connected on this node, in all namespaces. */
    public int size() {
        return namespaces.values().stream().mapToInt(Namespace::size).sum();
    }

    /** What its sockets did too much of, and what they were sent. */
    public SocketCounts counts() {
        return counts;
    }

    /** Takes on a session. */
    public SessionHandler accept(Session session) {
        return new Connection(this, session);
    }

    @Nullable
    LocalNamespace namespace(String name) {
        return namespaces.get(name);
    }

    PacketEncoder encoder() {
        return encoder;
    }

    String newSocketId() {
        return ids.next();
    }

    int eventsPerSecond() {
        return eventsPerSecond;
    }

    int maxPayloadBytes() {
        return config.maxPayloadBytes();
    }

    Duration connectTimeout() {
        return config.connectTimeout();
    }
}
