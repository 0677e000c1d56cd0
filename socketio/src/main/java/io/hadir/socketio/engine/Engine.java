package io.hadir.socketio.engine;

import io.hadir.socketio.http.HttpHandler;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.limit.Places;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
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

/** An Engine.IO server: the sessions that are open, their pings, and the HTTP handler through which they come. */
public final class Engine {
    private static final int ID_BYTES = 15;

    private final TransportConfig config;
    private final Function<Session, SessionHandler> handlers;
    private final Places places;
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
     * @param places one for each session, known as long as it is connected to a namespace
     */
    public Engine(
            TransportConfig config,
            Origins origins,
            Places places,
            EventLoopGroup loops,
            Function<Session, SessionHandler> handlers) {
        this.config = config;
        this.handlers = handlers;
        this.places = places;
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

    /** Answers what comes to the path of this engine. */
    public HttpHandler http() {
        return http;
    }

    /** How many sessions are open, or have ended and wait for the client to fetch the news. */
    public int sessions() {
        return sessions.size();
    }

    /** How many sessions were closed because their client did not read. */
    public long sendBufferClosings() {
        return closings(CloseReason.SEND_BUFFER_FULL);
    }

    /** How many sessions were closed because their client fell silent. */
    public long pingTimeouts() {
        return closings(CloseReason.PING_TIMEOUT);
    }

    /** How many sessions ended for this reason. */
    public long closings(CloseReason reason) {
        return Objects.requireNonNull(closings.get(reason)).sum();
    }

    /** How many sessions were not opened, or ended before they were connected, because there were too many. */
    public long refused() {
        return places.refused() + refused.sum();
    }

    /** How many sessions were closed because they sent too much that no handler hears of. */
    public long floods() {
        return floods.sum();
    }

    /** Ends every session and opens no more; completes when the last has told its handler. */
    public CompletableFuture<Void> close() {
        closing = true;
        CompletableFuture<?>[] ended = sessions.values().stream()
                .map(session -> {
                    session.close(CloseReason.SHUTTING_DOWN);
                    CompletableFuture<Void> told = new CompletableFuture<>();
                    session.execute(() -> told.complete(null));
                    return told;
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

    /** A client that comes back to poll after such a time has missed the answer to its ping, however busy we were. */
    long mostSilenceNanos() {
        return config.pingInterval().plus(config.pingTimeout()).toNanos();
    }

    boolean isFull() {
        return closing || places.isFull();
    }

    @Nullable
    Session session(String id) {
        return sessions.get(id);
    }

    /** Opens a session; null if there is no place for it. */
    @Nullable
    Session open(Remote remote, Transport transport, EventLoop home) {
        Places.Place place = places.take(remote.address());
        if (place == null) {
            return null;
        }
        Session session = new Session(this, newId(), remote, transport, home, place);
        place.onPushedOut(session::pushOut);
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

    /** The packet by which a client learns of its session. */
    String openPacket(Session session, boolean upgradable) {
        return "0{\"sid\":\"" + session.id() + "\",\"upgrades\":[" + (upgradable ? "\"websocket\"" : "")
                + "],\"pingInterval\":" + config.pingInterval().toMillis()
                + ",\"pingTimeout\":" + config.pingTimeout().toMillis()
                + ",\"maxPayload\":" + config.maxPayloadBytes() + "}";
    }

    /** The session cannot be reached any more. */
    void forget(Session session) {
        sessions.remove(session.id());
    }

    void refuse() {
        refused.increment();
    }

    void flooded() {
        floods.increment();
    }

    void ended(CloseReason reason) {
        Objects.requireNonNull(closings.get(reason)).increment();
    }

    private String newId() {
        byte[] bytes = new byte[ID_BYTES];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
