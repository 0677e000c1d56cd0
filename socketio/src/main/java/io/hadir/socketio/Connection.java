package io.hadir.socketio;

import io.hadir.socketio.engine.CloseReason;
import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionHandler;
import io.hadir.socketio.limit.TokenBucket;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** The Socket.IO side of one session: its sockets, one per namespace at most. All its methods are the session's tasks. */
final class Connection implements SessionHandler {
    private static final Logger log = LoggerFactory.getLogger(Connection.class);

    private final SocketServer server;
    private final Session session;
    private final List<LocalSocket> sockets = new ArrayList<>(1);
    private final TokenBucket events;
    private int excess;
    private boolean broken;
    private @Nullable PartialPacket partial;
    private @Nullable Future<?> deadline;

    Connection(SocketServer server, Session session) {
        this.server = server;
        this.session = session;
        this.events = new TokenBucket(server.eventsPerSecond(), System.nanoTime());
        expectConnect();
    }

    Session session() {
        return session;
    }

    @Override
    public void text(ByteBuf message) {
        if (broken) {
            return;
        }
        Packet packet = partial == null ? PacketDecoder.decode(message) : null;
        if (packet == null) {
            breakOff(CloseReason.PARSE_ERROR);
        } else if (packet.attachments() > 0) {
            partial = new PartialPacket(packet, server.maxPayloadBytes());
        } else {
            receive(packet);
        }
    }

    @Override
    public void binary(ByteBuf message) {
        if (broken) {
            return;
        }
        PartialPacket waiting = partial;
        if (waiting == null || !waiting.add(message)) {
            breakOff(CloseReason.PARSE_ERROR);
        } else if (waiting.isComplete()) {
            partial = null;
            Packet packet = waiting.assemble();
            if (packet == null) {
                breakOff(CloseReason.PARSE_ERROR);
            } else {
                receive(packet);
            }
        }
    }

    private void receive(Packet packet) {
        LocalSocket socket = socketIn(packet.namespace());
        long wait = charge(packet, socket);
        boolean allowed = wait == 0;
        excess = Math.max(0, allowed ? excess - 1 : excess + 1);
        if (!allowed) {
            server.counts().limitEvent();
        }
        if (excess > 2 * server.eventsPerSecond()) {
            server.counts().flood();
            breakOff(CloseReason.SERVER_CLOSE);
            return;
        }
        if (packet.type() == PacketType.CONNECT) {
            connect(packet, socket);
        } else if (socket == null || socket.isConnecting()) {
            breakOff(CloseReason.PARSE_ERROR);
        } else if (socket.isConnected()) {
            switch (packet.type()) {
                case DISCONNECT -> {
                    socket.gone(DisconnectReason.CLIENT_DISCONNECT);
                    expectConnect();
                }
                case EVENT, BINARY_EVENT ->
                    socket.event(packet.data().get(0).stringValue(), arguments(packet.data(), 1), packet.id(), wait);
                case ACK, BINARY_ACK -> socket.acknowledged(packet.id(), arguments(packet.data(), 0));
                case CONNECT, CONNECT_ERROR -> throw new IllegalStateException("not decoded");
            }
        }
    }

    /** Takes the cost of a packet from the limits; returns 0, or the nanoseconds until it would be within them. */
    private long charge(Packet packet, @Nullable LocalSocket socket) {
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

    /** Closes the session, and hears no more of what it has sent already. */
    private void breakOff(CloseReason reason) {
        broken = true;
        session.close(reason);
    }

    private static List<JsonNode> arguments(JsonNode array, int from) {
        List<JsonNode> arguments = new ArrayList<>(array.size() - from);
        for (int i = from; i < array.size(); i++) {
            arguments.add(array.get(i));
        }
        return arguments;
    }

    private @Nullable LocalSocket socketIn(String namespace) {
        for (LocalSocket socket : sockets) {
            if (socket.namespace().name().equals(namespace)) {
                return socket;
            }
        }
        return null;
    }

    private void connect(Packet packet, @Nullable LocalSocket former) {
        LocalNamespace namespace = server.namespace(packet.namespace());
        if (namespace == null) {
            refuse(packet.namespace(), Admission.refused("Invalid namespace"));
            return;
        }
        if (former != null && (former.isConnected() || former.isConnecting())) {
            breakOff(CloseReason.PARSE_ERROR);
            return;
        }
        sockets.remove(former);
        Handshake handshake = new Handshake(server.newSocketId(), packet.data(), session.remote());
        LocalSocket socket = new LocalSocket(namespace, this, handshake);
        sockets.add(socket);
        namespace.listener().connecting(handshake).whenComplete((admission, failure) -> {
            if (failure != null) {
                log.error("A listener could not decide whether to admit a client", failure);
            }
            session.execute(() -> admitted(socket, failure == null ? admission : Admission.refused("internal")));
        });
    }

    private void admitted(LocalSocket socket, Admission admission) {
        if (!socket.isConnecting()) {
            return;
        }
        if (admission.refusal() != null) {
            sockets.remove(socket);
            refuse(socket.namespace().name(), admission);
            expectConnect();
            return;
        }
        if (!session.know()) {
            // A newcomer took its place while it was being decided. The session is ending.
            return;
        }
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
        socket.connected(admission.attachment());
    }

    private void refuse(String namespace, Admission admission) {
        server.counts().refuse();
        Map<String, Object> payload = new LinkedHashMap<>();
        payload.put("message", String.valueOf(admission.refusal()));
        if (admission.data() != null) {
            payload.put("data", admission.data());
        }
        session.send(server.encoder().control(PacketType.CONNECT_ERROR, namespace, payload));
    }

    /** A session that is connected to no namespace may not stay. */
    private void expectConnect() {
        if (deadline == null && sockets.stream().noneMatch(LocalSocket::isConnected)) {
            session.unknow();
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
        DisconnectReason told = switch (reason) {
            case TRANSPORT_CLOSE -> DisconnectReason.TRANSPORT_CLOSE;
            case TRANSPORT_ERROR, SEND_BUFFER_FULL -> DisconnectReason.TRANSPORT_ERROR;
            case PING_TIMEOUT -> DisconnectReason.PING_TIMEOUT;
            case PARSE_ERROR -> DisconnectReason.PARSE_ERROR;
            case SERVER_CLOSE -> DisconnectReason.SERVER_DISCONNECT;
            case SHUTTING_DOWN -> DisconnectReason.SHUTTING_DOWN;
        };
        for (LocalSocket socket : sockets) {
            socket.gone(told);
        }
    }
}
