package io.hadir.socketio;

import io.hadir.socketio.engine.CloseReason;
import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionHandler;
import io.hadir.socketio.limit.SenderLimit;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** The Socket.IO side of one session: at most one socket per namespace. All methods run as the session's tasks. */
final class Connection implements SessionHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Connection.class);

    private final SocketServer server;
    private final Session session;
    private final List<NamespaceSocket> sockets = new ArrayList<>(1);
    private final SenderLimit events;
    private boolean closing;
    private @Nullable PartialPacket partial;
    private @Nullable Future<?> deadline;

    Connection(SocketServer server, Session session) {
        this.server = server;
        this.session = session;
        this.events = new SenderLimit(server.eventsPerSecond(), System.nanoTime());
        expectConnect();
    }

    Session session() {
        return session;
    }

    @Override
    public void text(ByteBuf message) {
        if (closing) {
            return;
        }
        Packet packet = partial == null ? PacketDecoder.decode(message) : null;
        if (packet == null) {
            closeSession(CloseReason.PARSE_ERROR);
        } else if (packet.attachments() > 0) {
            partial = new PartialPacket(packet, server.maxPayloadBytes());
        } else {
            receive(packet);
        }
    }

    @Override
    public void binary(ByteBuf message) {
        if (closing) {
            return;
        }
        PartialPacket waiting = partial;
        if (waiting == null || !waiting.add(message)) {
            closeSession(CloseReason.PARSE_ERROR);
        } else if (waiting.isComplete()) {
            partial = null;
            Packet packet = waiting.assemble();
            if (packet == null) {
                closeSession(CloseReason.PARSE_ERROR);
            } else {
                receive(packet);
            }
        }
    }

    private void receive(Packet packet) {
        NamespaceSocket socket = socketIn(packet.namespace());
        long wait = charge(packet, socket);
        boolean allowed = wait == 0;
        if (!allowed) {
            server.counts().countLimitedEvent();
        }
        if (events.isFlood(allowed)) {
            server.counts().countFlood();
            closing = true;
            CompletableFuture.allOf(
                            sockets.stream().map(NamespaceSocket::flooded).toArray(CompletableFuture[]::new))
                    .whenComplete((done, failed) -> session.close(CloseReason.SERVER_CLOSE));
            return;
        }
        if (packet.type() == Packet.Type.CONNECT) {
            connect(packet, socket);
        } else if (socket == null || socket.isConnecting()) {
            closeSession(CloseReason.PARSE_ERROR);
        } else if (socket.isConnected()) {
            switch (packet.type()) {
                case DISCONNECT -> {
                    socket.disconnected(DisconnectReason.CLIENT_DISCONNECT);
                    expectConnect();
                }
                case EVENT, BINARY_EVENT ->
                    socket.event(packet.data().get(0).stringValue(), arguments(packet.data(), 1), packet.id(), wait);
                case ACK, BINARY_ACK -> socket.acknowledged(packet.id(), arguments(packet.data(), 0));
                case CONNECT, CONNECT_ERROR -> throw new IllegalStateException("unexpected " + packet.type());
            }
        }
    }

    /**
     * Takes the cost of a packet from the limits. Returns 0, or the nanoseconds until the packet would be within them.
     */
    private long charge(Packet packet, @Nullable NamespaceSocket socket) {
        long now = System.nanoTime();
        if (socket == null || !socket.isConnected() || !packet.type().isEvent()) {
            return events.take(1, now);
        }
        SocketListener listener = socket.namespace().listener();
        int cost =
                listener.cost(packet.data().get(0).stringValue(), packet.data().path(1));
        long wait = events.take(cost, now);
        return wait == 0 ? listener.takeShared(socket, cost, now) : wait;
    }

    /** Closes the session and ignores whatever it has already sent. */
    private void closeSession(CloseReason reason) {
        closing = true;
        session.close(reason);
    }

    private static List<JsonNode> arguments(JsonNode array, int from) {
        List<JsonNode> arguments = new ArrayList<>(array.size() - from);
        for (int i = from; i < array.size(); i++) {
            arguments.add(array.get(i));
        }
        return arguments;
    }

    private @Nullable NamespaceSocket socketIn(String namespace) {
        for (NamespaceSocket socket : sockets) {
            if (socket.namespace().name().equals(namespace)) {
                return socket;
            }
        }
        return null;
    }

    private void connect(Packet packet, @Nullable NamespaceSocket former) {
        Namespace namespace = server.namespace(packet.namespace());
        if (namespace == null) {
            refuse(packet.namespace(), Admission.refused("Invalid namespace"));
            return;
        }
        if (former != null && (former.isConnected() || former.isConnecting())) {
            closeSession(CloseReason.PARSE_ERROR);
            return;
        }
        sockets.remove(former);
        Handshake handshake = new Handshake(server.newSocketId(), packet.data());
        NamespaceSocket socket = new NamespaceSocket(namespace, this, handshake);
        sockets.add(socket);
        namespace.listener().connecting(handshake).whenComplete((admission, failure) -> {
            if (failure != null) {
                LOG.error("A listener failed to decide whether a client may connect", failure);
            }
            session.execute(
                    () -> admitted(socket, handshake, failure == null ? admission : Admission.refused("internal")));
        });
    }

    private void admitted(NamespaceSocket socket, Handshake handshake, Admission admission) {
        boolean waits = socket.isConnecting();
        if (admission.refusal() != null) {
            if (waits) {
                sockets.remove(socket);
                refuse(socket.namespace().name(), admission);
                expectConnect();
            }
            return;
        }
        if (!waits || !session.markKnown()) {
            // The client has gone, or a newcomer has pushed this session out and it is about to end.
            socket.abandoned(handshake);
            return;
        }
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
        socket.connected(admission.attachment());
    }

    private void refuse(String namespace, Admission admission) {
        server.counts().countRefusal();
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("message", String.valueOf(admission.refusal()));
        if (admission.data() != null) {
            payload.put("data", admission.data());
        }
        session.send(server.encoder().control(Packet.Type.CONNECT_ERROR, namespace, payload));
    }

    /** Starts the deadline for connecting if the session has no connected socket. */
    private void expectConnect() {
        if (deadline == null && sockets.stream().noneMatch(NamespaceSocket::isConnected)) {
            session.markStranger();
            deadline = session.schedule(() -> session.close(CloseReason.SERVER_CLOSE), server.connectTimeout());
        }
    }

    void closeIfUnused() {
        if (sockets.stream().noneMatch(socket -> socket.isConnected() || socket.isConnecting())) {
            session.close(CloseReason.SERVER_CLOSE);
        }
    }

    @Override
    public void closed(CloseReason reason) {
        if (deadline != null) {
            deadline.cancel(false);
        }
        partial = null;
        DisconnectReason disconnectReason = switch (reason) {
            case TRANSPORT_CLOSE -> DisconnectReason.TRANSPORT_CLOSE;
            case TRANSPORT_ERROR, SEND_BUFFER_FULL -> DisconnectReason.TRANSPORT_ERROR;
            case PING_TIMEOUT -> DisconnectReason.PING_TIMEOUT;
            case PARSE_ERROR -> DisconnectReason.PARSE_ERROR;
            case SERVER_CLOSE -> DisconnectReason.SERVER_DISCONNECT;
            case SHUTTING_DOWN -> DisconnectReason.SHUTTING_DOWN;
        };
        for (NamespaceSocket socket : sockets) {
            socket.disconnected(disconnectReason);
        }
    }
}
