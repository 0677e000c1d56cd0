package io.hadir.socketio;

import io.hadir.socketio.engine.CloseReason;
import io.hadir.socketio.engine.Session;
import java.time.Duration;
import java.util.Arrays;
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

/** A socket of this node. Its life belongs to its session's tasks; its groups are guarded by its monitor. */
final class LocalSocket implements Socket {
    private static final Logger log = LoggerFactory.getLogger(LocalSocket.class);
    private static final int MAX_ASKS = 1_000;

    private enum State {
        CONNECTING,
        CONNECTED,
        GONE
    }

    private final String id;
    private final LocalNamespace namespace;
    private final Connection connection;
    private volatile Handshake handshake;
    private volatile State state = State.CONNECTING;
    private volatile @Nullable Object attachment;
    private Set<String> groups = Set.of();
    private Map<Long, CompletableFuture<List<JsonNode>>> asks = Map.of();
    private long lastAsk;

    LocalSocket(LocalNamespace namespace, Connection connection, Handshake handshake) {
        this.id = handshake.socketId();
        this.namespace = namespace;
        this.connection = connection;
        this.handshake = handshake;
    }

    LocalNamespace namespace() {
        return namespace;
    }

    Session session() {
        return connection.session();
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public Handshake handshake() {
        return handshake;
    }

    @Override
    public boolean isConnected() {
        return state == State.CONNECTED;
    }

    boolean isConnecting() {
        return state == State.CONNECTING;
    }

    // What the session's tasks do

    void connected(@Nullable Object proven) {
        if (proven != null) {
            attachment = proven;
            handshake = handshake.withoutAuth();
        }
        state = State.CONNECTED;
        namespace.add(this);
        session().send(namespace.encoder().control(PacketType.CONNECT, namespace.name(), Map.of("sid", id)));
        tell("connected", listener -> listener.connected(this));
    }

    /** @param waitNanos until the event is within the limits, 0 if it is */
    void event(String name, List<JsonNode> arguments, long ackId, long waitNanos) {
        Ack ack = ackId == Packet.NO_ID ? NO_ACK : new EventAck(ackId);
        if (waitNanos == 0) {
            tell("event", listener -> listener.event(this, name, arguments, ack));
        } else {
            tell("limited", listener -> listener.limited(this, name, ack, Duration.ofNanos(waitNanos)));
        }
    }

    void acknowledged(long askId, List<JsonNode> arguments) {
        CompletableFuture<List<JsonNode>> asked = takeAsk(askId);
        if (asked != null) {
            asked.complete(arguments);
        }
    }

    void gone(DisconnectReason reason) {
        if (state == State.CONNECTED) {
            state = State.GONE;
            tell("disconnecting", listener -> listener.disconnecting(this, reason));
            leaveAll();
            namespace.remove(this);
            asks.values().forEach(asked -> asked.completeExceptionally(new DisconnectedException()));
            asks = Map.of();
            tell("disconnected", listener -> listener.disconnected(this, reason));
        } else if (state == State.CONNECTING) {
            tell("abandoned", listener -> listener.abandoned(handshake));
        }
        state = State.GONE;
    }

    private void tell(String what, Consumer<SocketListener> call) {
        try {
            call.accept(namespace.listener());
        } catch (Throwable e) {
            log.error("A listener failed at {}; the socket is closed", what, e);
            close();
        }
    }

    // What the application does

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
            long askId = lastAsk++;
            if (asks.isEmpty()) {
                asks = new HashMap<>();
            }
            asks.put(askId, answer);
            session().send(namespace.encoder().event(namespace.name(), askId, event, arguments));
            session().schedule(() -> expire(askId), timeout);
        });
        return answer;
    }

    private void expire(long askId) {
        CompletableFuture<List<JsonNode>> asked = takeAsk(askId);
        if (asked != null) {
            asked.completeExceptionally(new TimeoutException("the client did not acknowledge in time"));
        }
    }

    private @Nullable CompletableFuture<List<JsonNode>> takeAsk(long askId) {
        return asks.isEmpty() ? null : asks.remove(askId); // the empty map may be the immutable one
    }

    @Override
    public synchronized void join(String group) {
        if (state == State.GONE) {
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

    private synchronized void leaveAll() {
        groups.forEach(group -> namespace.leave(group, session()));
        groups = Set.of();
    }

    @Override
    public void disconnect() {
        session().execute(() -> {
            if (isConnected()) {
                session().send(namespace.encoder().control(PacketType.DISCONNECT, namespace.name(), null));
                gone(DisconnectReason.SERVER_DISCONNECT);
                connection.closeIfUnused();
            }
        });
    }

    @Override
    public void close() {
        session().close(CloseReason.SERVER_CLOSE);
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public void attach(Object attachment) {
        this.attachment = attachment;
    }

    private static final Ack NO_ACK = new Ack() {
        @Override
        public boolean isWanted() {
            return false;
        }

        @Override
        public void send(@Nullable Object... arguments) {}
    };

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
                session()
                        .send(namespace
                                .encoder()
                                .ack(namespace.name(), ackId, Arrays.copyOf(arguments, arguments.length)));
            }
        }
    }
}
