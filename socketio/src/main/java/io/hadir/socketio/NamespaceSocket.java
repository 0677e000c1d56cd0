package io.hadir.socketio;

import io.hadir.socketio.engine.CloseReason;
import io.hadir.socketio.engine.Session;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** A socket whose client is connected to this server by a session. */
final class NamespaceSocket implements Socket {
    private static final Logger LOG = LoggerFactory.getLogger(NamespaceSocket.class);
    private static final int MAX_ASKS = 1_000;

    private enum State {
        CONNECTING,
        CONNECTED,
        DISCONNECTED
    }

    private final String id;
    private final Namespace namespace;
    private final Connection connection;
    private volatile State state = State.CONNECTING;
    private volatile @Nullable Object attachment;
    /** Guarded by this. */
    private Set<String> groups = Set.of();

    // Only the session's tasks use these.
    private Map<Long, CompletableFuture<List<JsonNode>>> asks = Map.of();
    private long nextAsk;

    NamespaceSocket(Namespace namespace, Connection connection, Handshake handshake) {
        this.id = handshake.socketId();
        this.namespace = namespace;
        this.connection = connection;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    @Override
    public void emit(String event, @Nullable Object... arguments) {
        if (isConnected()) {
            session().send(namespace.encoder().event(namespace.name(), Packet.NO_ID, event, arguments));
        }
    }

    @Override
    public CompletionStage<List<JsonNode>> ask(Duration timeout, String event, @Nullable Object... arguments) {
        CompletableFuture<List<JsonNode>> answer = new CompletableFuture<>();
        session().execute(() -> {
            if (!isConnected() || asks.size() >= MAX_ASKS) {
                answer.completeExceptionally(new DisconnectedException());
                return;
            }
            long askId = nextAsk++;
            if (asks.isEmpty()) {
                asks = new HashMap<>();
            }
            asks.put(askId, answer);
            session().send(namespace.encoder().event(namespace.name(), askId, event, arguments));
            session().schedule(() -> timeOut(askId), timeout);
        });
        return answer;
    }

    @Override
    public synchronized void join(String group) {
        if (state == State.DISCONNECTED) {
            return;
        }
        if (groups.isEmpty()) {
            groups = new TreeSet<>();
        }
        if (groups.add(group)) {
            namespace.join(group, session());
        }
    }

    @Override
    public synchronized void leave(String group) {
        if (groups.contains(group)) {
            groups.remove(group);
            namespace.leave(group, session());
        }
    }

    @Override
    public void disconnect() {
        session().execute(() -> {
            if (isConnected()) {
                session().send(namespace.encoder().control(Packet.Type.DISCONNECT, namespace.name(), null));
                disconnected(DisconnectReason.SERVER_DISCONNECT);
                connection.closeIfUnused();
            }
        });
    }

    @Override
    public void close() {
        session().close(CloseReason.SERVER_CLOSE);
    }

    Namespace namespace() {
        return namespace;
    }

    boolean isConnecting() {
        return state == State.CONNECTING;
    }

    private Session session() {
        return connection.session();
    }

    // Called by the session's tasks

    void connected(@Nullable Object attachment) {
        this.attachment = attachment;
        state = State.CONNECTED;
        namespace.add(this);
        session().send(namespace.encoder().control(Packet.Type.CONNECT, namespace.name(), Map.of("sid", id)));
        call("connected", listener -> listener.connected(this));
    }

    /** @param waitNanos until the event is within the limits, 0 if it is */
    void event(String name, List<JsonNode> arguments, long ackId, long waitNanos) {
        Ack ack = ackId == Packet.NO_ID ? NO_ACK : new EventAck(ackId);
        if (waitNanos == 0) {
            call("event", listener -> listener.event(this, name, arguments, ack));
        } else {
            call("limited", listener -> listener.limited(this, name, ack, Duration.ofNanos(waitNanos)));
        }
    }

    /** Completes when its connection may be closed. */
    CompletableFuture<?> flooded() {
        if (!isConnected()) {
            return CompletableFuture.completedFuture(this);
        }
        CompletableFuture<Object> settled = new CompletableFuture<>();
        call("flooded", listener -> listener.flooded(this).whenComplete((done, failed) -> settled.complete(this)));
        return settled;
    }

    void acknowledged(long askId, List<JsonNode> arguments) {
        CompletableFuture<List<JsonNode>> asked = takeAsk(askId);
        if (asked != null) {
            asked.complete(arguments);
        }
    }

    private void timeOut(long askId) {
        CompletableFuture<List<JsonNode>> asked = takeAsk(askId);
        if (asked != null) {
            asked.completeExceptionally(new TimeoutException("the client did not acknowledge in time"));
        }
    }

    private @Nullable CompletableFuture<List<JsonNode>> takeAsk(long askId) {
        return asks.isEmpty() ? null : asks.remove(askId); // The empty map may be immutable.
    }

    /** Its client was admitted, but will not be connected. */
    void abandoned(Handshake handshake) {
        state = State.DISCONNECTED;
        call("abandoned", listener -> listener.abandoned(handshake));
    }

    void disconnected(DisconnectReason reason) {
        if (state == State.CONNECTED) {
            state = State.DISCONNECTED;
            call("disconnecting", listener -> listener.disconnecting(this, reason));
            leaveAll();
            namespace.remove(this);
            asks.values().forEach(asked -> asked.completeExceptionally(new DisconnectedException()));
            asks = Map.of();
            call("disconnected", listener -> listener.disconnected(this, reason));
        }
        state = State.DISCONNECTED;
    }

    private synchronized void leaveAll() {
        groups.forEach(group -> namespace.leave(group, session()));
        groups = Set.of();
    }

    private void call(String method, Consumer<SocketListener> call) {
        try {
            call.accept(namespace.listener());
        } catch (Throwable e) {
            LOG.error("A listener failed in {}; its socket will be closed", method, e);
            close();
        }
    }

    private static final Ack NO_ACK = new Ack() {
        @Override
        public boolean isWanted() {
            return false;
        }

        @Override
        public void send(@Nullable Object... arguments) {}
    };

    /** Extends the flag that makes the first call count, which saves an allocation per event. */
    private final class EventAck extends AtomicBoolean implements Ack {
        private static final long serialVersionUID = 1;
        private final long ackId;

        EventAck(long ackId) {
            this.ackId = ackId;
        }

        @Override
        public boolean isWanted() {
            return true;
        }

        @Override
        public void send(@Nullable Object... arguments) {
            if (isConnected() && compareAndSet(false, true)) {
                session().send(namespace.encoder().ack(namespace.name(), ackId, arguments));
            }
        }
    }
}
