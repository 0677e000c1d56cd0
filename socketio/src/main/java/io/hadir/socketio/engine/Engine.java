package io.hadir.socketio.engine;

import io.hadir.socketio.http.HttpHandler;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.limit.Slots;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An Engine.IO server: the open sessions, their pings, and the HTTP handler that opens them. */
public final class Engine {
    private static final int ID_BYTES = 15;

    private final TransportConfig config;
    private final Function<Session, SessionHandler> handlers;
    private final Slots slots;
    private final ConcurrentHashMap<String, Session> sessions = new ConcurrentHashMap<>();
    private final PingWheel wheel;
    private final EventLoop timer;
    private final SecureRandom random = new SecureRandom();
    private final HttpHandler http;
    private final Map<CloseReason, LongAdder> closings = new EnumMap<>(CloseReason.class);
    private final LongAdder refused = new LongAdder();
    private final LongAdder floods = new LongAdder();
    private @Nullable Future<?> nextTick;
    private volatile boolean closing;

    /**
     * @param handlers called once for each session that is opened
     * @param slots one for each session
     */
    public Engine(
            TransportConfig config,
            Origins origins,
            Slots slots,
            EventLoopGroup loops,
            Function<Session, SessionHandler> handlers) {
        this.config = config;
        this.handlers = handlers;
        this.slots = slots;
        this.timer = loops.next();
        this.wheel = new PingWheel(config.pingInterval(), config.pingTimeout(), System.nanoTime());
        this.http = new EngineHttp(this, origins);
        for (CloseReason reason : CloseReason.values()) {
            closings.put(reason, new LongAdder());
        }
        timer.execute(this::advanceWheel);
    }

    private void advanceWheel() {
        long delay = wheel.advance(System.nanoTime());
        if (!timer.isShuttingDown()) {
            nextTick = timer.schedule(this::advanceWheel, delay, TimeUnit.NANOSECONDS);
        }
    }

    private void stopWheel() {
        if (nextTick != null) {
            nextTick.cancel(false);
        }
    }

    public HttpHandler http() {
        return http;
    }

    /** How many sessions are open, or closed but still waiting for their client to poll the close packet. */
    public int sessions() {
        return sessions.size();
    }

    /** How many sessions ended because their client did not read. */
    public long sendBufferClosings() {
        return closings(CloseReason.SEND_BUFFER_FULL);
    }

    /** How many sessions ended for this reason. */
    public long closings(CloseReason reason) {
        return Objects.requireNonNull(closings.get(reason)).sum();
    }

    /** How many sessions were refused, or pushed out by newcomers, because there were too many. */
    public long refused() {
        return slots.refused() + refused.sum();
    }

    /** How many sessions were closed because they sent too many packets that reach no handler. */
    public long floods() {
        return floods.sum();
    }

    /** Ends every session and opens no more. Completes after the last {@link SessionHandler#closed}. */
    public CompletableFuture<Void> close() {
        closing = true;
        CompletableFuture<?>[] ended = sessions.values().stream()
                .map(session -> {
                    session.close(CloseReason.SHUTTING_DOWN);
                    CompletableFuture<Void> closed = new CompletableFuture<>();
                    session.execute(() -> closed.complete(null));
                    return closed;
                })
                .toArray(CompletableFuture<?>[]::new);
        return CompletableFuture.allOf(ended).thenRunAsync(this::stopWheel, timer);
    }

    TransportConfig config() {
        return config;
    }

    PingWheel wheel() {
        return wheel;
    }

    /** A client that polls again only after this time has missed a ping, however busy the server was. */
    long maxSilenceNanos() {
        return config.pingInterval().plus(config.pingTimeout()).toNanos();
    }

    boolean isFull() {
        return closing || slots.isFull();
    }

    @Nullable
    Session session(String id) {
        return sessions.get(id);
    }

    /** Opens a session; null if there is no slot for it. */
    @Nullable
    Session open(InetAddress client, Transport transport, EventLoop home) {
        Slots.Slot slot = slots.take(client);
        if (slot == null) {
            return null;
        }
        Session session = new Session(this, newId(), transport, home, slot);
        slot.onPushedOut(session::pushOut);
        wheel.add(session);
        sessions.put(session.id(), session);
        if (closing) {
            session.close(CloseReason.SHUTTING_DOWN);
        }
        return session;
    }

    SessionHandler newHandler(Session session) {
        return handlers.apply(session);
    }

    /** Returns the OPEN packet, which tells a client its session's id and the server's settings. */
    String openPacket(Session session, boolean upgradable) {
        return "0{\"sid\":\"" + session.id() + "\",\"upgrades\":[" + (upgradable ? "\"websocket\"" : "")
                + "],\"pingInterval\":" + config.pingInterval().toMillis()
                + ",\"pingTimeout\":" + config.pingTimeout().toMillis()
                + ",\"maxPayload\":" + config.maxPayloadBytes() + "}";
    }

    /** Makes a session unreachable by its id. */
    void forget(Session session) {
        sessions.remove(session.id());
    }

    void countRefusal() {
        refused.increment();
    }

    void countFlood() {
        floods.increment();
    }

    void countClosing(CloseReason reason) {
        Objects.requireNonNull(closings.get(reason)).increment();
    }

    private String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
