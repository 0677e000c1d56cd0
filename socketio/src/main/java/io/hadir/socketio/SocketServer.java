package io.hadir.socketio;

import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionHandler;
import io.hadir.socketio.engine.TransportConfig;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A Socket.IO server: its namespaces, and a handler for every Engine.IO session. */
public final class SocketServer {
    private static final int RANDOM_ID_BYTES = 9;

    private final TransportConfig config;
    private final int eventsPerSecond;
    private final String idPrefix;
    private final SecureRandom random = new SecureRandom();
    private final PacketEncoder encoder = new PacketEncoder(ByteBufAllocator.DEFAULT);
    private final ConcurrentHashMap<String, Namespace> namespaces = new ConcurrentHashMap<>();
    private final SocketCounts counts = new SocketCounts();

    /**
     * @param idPrefix makes this server's socket ids unique among servers
     * @param eventsPerSecond how many packets one session may send, with bursts of twice that; 0 for no limit
     */
    public SocketServer(String idPrefix, TransportConfig config, int eventsPerSecond) {
        this.config = config;
        this.eventsPerSecond = eventsPerSecond;
        this.idPrefix = idPrefix;
        warmUp();
    }

    /** Loads the classes that the first packet needs, so that the first client does not wait for them. */
    private void warmUp() {
        ByteBuf frame = encoder.event("/", Packet.NO_ID, "warm", new Object[] {Map.of("up", true)})
                .get(0);
        PacketDecoder.decode(Unpooled.copiedBuffer("2[\"warm\",{\"up\":true}]", StandardCharsets.UTF_8));
        frame.release();
    }

    /**
     * Opens a namespace.
     *
     * @param name ASCII, starting with a slash
     * @param listener makes the namespace's listener
     * @return that listener
     */
    @SuppressWarnings("unchecked") // The function made it.
    public <L extends SocketListener> L open(String name, Function<Namespace, L> listener) {
        Namespace namespace = new Namespace(name, listener, encoder, counts);
        namespaces.put(name, namespace);
        return (L) namespace.listener();
    }

    /** The number of connected sockets in all namespaces. */
    public int size() {
        return namespaces.values().stream().mapToInt(Namespace::size).sum();
    }

    public SocketCounts counts() {
        return counts;
    }

    /** Makes the handler of a new session. */
    public SessionHandler accept(Session session) {
        return new Connection(this, session);
    }

    @Nullable
    Namespace namespace(String name) {
        return namespaces.get(name);
    }

    PacketEncoder encoder() {
        return encoder;
    }

    /** Makes the id of a new socket. It is short because it is stored several times; knowing one grants no right. */
    public String newSocketId() {
        byte[] bytes = new byte[RANDOM_ID_BYTES];
        random.nextBytes(bytes);
        return idPrefix + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** How many events one socket may send, with bursts of twice that; 0 for no limit. */
    public int eventsPerSecond() {
        return eventsPerSecond;
    }

    int maxPayloadBytes() {
        return config.maxPayloadBytes();
    }

    Duration connectTimeout() {
        return config.connectTimeout();
    }
}
