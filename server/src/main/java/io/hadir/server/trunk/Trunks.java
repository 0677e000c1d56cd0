package io.hadir.server.trunk;

import io.hadir.server.events.PresenceEvents;
import io.hadir.server.events.PresenceSockets;
import io.hadir.server.events.Sockets;
import io.hadir.socketio.Json;
import io.hadir.socketio.Socket;
import io.hadir.socketio.SocketCounts;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.http.Exchange;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The trunks of this node, the sockets behind them, and the groups of those. Safe for any thread. */
public final class Trunks implements Sockets {
    static final int MAX_FRAME_BYTES = 1 << 20;

    /** How long a hello waits for Redis. */
    private static final Duration GREETING = Duration.ofSeconds(2);

    private static final Duration LONGEST_PING = Duration.ofSeconds(2);
    /** An app leaves a node after missing this many pings. */
    private static final int PINGS = 3;
    /** The last renewal of a lease may be a third of it old, and an app needs some time to move. */
    private static final double PINGS_PER_LEASE = 7.5;

    private final SocketServer server;
    private final String nodeId;
    private final int maxPayloadBytes;
    private final Duration ping;
    private final Epochs epochs;
    private final Set<Trunk> trunks = ConcurrentHashMap.newKeySet();
    private final Map<String, Trunk> byProcess = new ConcurrentHashMap<>();
    /** By id, also those that wait for their admission. */
    private final Map<String, TrunkSocket> sockets = new ConcurrentHashMap<>();
    /** How many sockets of each trunk are in the group of a room. */
    private final Map<String, Map<Trunk, Integer>> groups = new ConcurrentHashMap<>();

    private final Map<String, Set<TrunkSocket>> lobbies = new ConcurrentHashMap<>();

    private final LongAdder slow = new LongAdder();
    private volatile @Nullable PresenceEvents events;
    private volatile boolean stopped;

    /** @param lease of this node, which decides how soon apps must notice that it is frozen */
    public Trunks(SocketServer server, String nodeId, int maxPayloadBytes, Duration lease, Epochs epochs) {
        this.server = server;
        this.nodeId = nodeId;
        // A frame has room for other messages beside the largest payload.
        this.maxPayloadBytes = Math.min(maxPayloadBytes, MAX_FRAME_BYTES / 2);
        this.epochs = epochs;
        Duration fitting = Duration.ofMillis((long) (lease.toMillis() / PINGS_PER_LEASE));
        ping = fitting.compareTo(LONGEST_PING) < 0 ? fitting : LONGEST_PING;
    }

    /** Sets who handles the events of all sockets; called once, before the first trunk. */
    public void serve(PresenceEvents handler) {
        events = handler;
    }

    /** Turns a request with the right key into a trunk. */
    public void accept(Exchange exchange) {
        if (!exchange.wantsWebSocket()) {
            exchange.respondError(HttpResponseStatus.UPGRADE_REQUIRED, "upgrade_required", "A trunk is a WebSocket.");
            return;
        }
        exchange.slot().markKnown();
        exchange.upgrade(MAX_FRAME_BYTES, new Trunk(this, exchange.channel()));
    }

    /** The number of open trunks. */
    public int size() {
        return byProcess.size();
    }

    /** The number of sockets behind trunks. */
    public int socketCount() {
        return sockets.size();
    }

    /** How many trunks were closed because their app did not read. */
    public long slowClosings() {
        return slow.sum();
    }

    /** Closes every trunk, so that apps move to other nodes. Completes when all are closed. */
    public CompletableFuture<Void> close() {
        stopped = true;
        return CompletableFuture.allOf(
                trunks.stream().map(trunk -> trunk.stop().toCompletableFuture()).toArray(CompletableFuture[]::new));
    }

    // What presence needs

    @Override
    public @Nullable Socket socket(String id) {
        TrunkSocket socket = sockets.get(id);
        return socket != null && socket.isConnected() ? socket : null;
    }

    @Override
    public void enter(String id, String group, long revision) {
        TrunkSocket socket = sockets.get(id);
        if (socket != null) {
            socket.enter(group, revision);
        }
    }

    @Override
    public void broadcast(String group, String event, Object payload) {
        String room = PresenceSockets.roomOf(group);
        if (room == null) {
            broadcastToLobby(group, event, payload);
            return;
        }
        Map<Trunk, Integer> receivers = groups.get(group);
        if (receivers == null) {
            return;
        }
        byte[] message = Json.MAPPER.writeValueAsBytes(new Object[] {"room", room, event, payload});
        receivers.keySet().forEach(trunk -> trunk.sendEncoded(message));
    }

    @Override
    public void removed(String id) {
        TrunkSocket socket = sockets.get(id);
        if (socket != null) {
            socket.removed();
        }
    }

    private void broadcastToLobby(String lobby, String event, Object payload) {
        Map<Trunk, List<Long>> numbers = new HashMap<>();
        for (TrunkSocket socket : lobbies.getOrDefault(lobby, Set.of())) {
            numbers.computeIfAbsent(socket.trunk(), trunk -> new ArrayList<>()).add(socket.number);
        }
        numbers.forEach((trunk, receivers) -> trunk.send("emit", receivers, event, payload));
    }

    // What a trunk needs

    void joinLobby(String lobby, TrunkSocket socket) {
        lobbies.compute(lobby, (key, members) -> {
            Set<TrunkSocket> joined = members == null ? ConcurrentHashMap.newKeySet() : members;
            joined.add(socket);
            return joined;
        });
    }

    void leaveLobby(String lobby, TrunkSocket socket) {
        lobbies.computeIfPresent(lobby, (key, members) -> {
            members.remove(socket);
            return members.isEmpty() ? null : members;
        });
    }

    void join(String group, Trunk trunk) {
        groups.compute(group, (key, members) -> {
            Map<Trunk, Integer> joined = members == null ? new ConcurrentHashMap<>(2) : members;
            joined.merge(trunk, 1, Integer::sum);
            return joined;
        });
    }

    void leave(String group, Trunk trunk) {
        groups.computeIfPresent(group, (key, members) -> {
            members.computeIfPresent(trunk, (same, count) -> count == 1 ? null : count - 1);
            return members.isEmpty() ? null : members;
        });
    }

    void add(TrunkSocket socket) {
        sockets.put(socket.id(), socket);
    }

    void remove(TrunkSocket socket) {
        sockets.remove(socket.id());
    }

    PresenceEvents events() {
        return Objects.requireNonNull(events);
    }

    SocketCounts counts() {
        return server.counts();
    }

    int eventsPerSecond() {
        return server.eventsPerSecond();
    }

    String newSocketId() {
        return server.newSocketId();
    }

    void countRefusal() {
        server.counts().countRefusal();
    }

    void countSlow() {
        slow.increment();
    }

    /** The time between two pings. */
    Duration ping() {
        return ping;
    }

    /** How long an app hears nothing before it moves. */
    Duration silence() {
        return ping.multipliedBy(PINGS);
    }

    Map<String, Object> welcomeMessage() {
        return Map.of(
                "version",
                Trunk.VERSION,
                "nodeId",
                nodeId,
                "pingMs",
                ping.toMillis(),
                "silenceMs",
                silence().toMillis(),
                "maxFrameBytes",
                MAX_FRAME_BYTES,
                "maxPayloadBytes",
                maxPayloadBytes);
    }

    void opened(Trunk trunk) {
        trunks.add(trunk);
        if (stopped) {
            trunk.stop();
        }
    }

    /** Tells the other nodes of a hello; completes with the latest epoch of its process, and fails if Redis is away. */
    CompletionStage<Long> greet(Trunk trunk) {
        return epochs.raise(trunk.process(), trunk.epoch())
                .toCompletableFuture()
                .copy()
                .orTimeout(GREETING.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Makes it the trunk of its process on this node; false if there is a later one. */
    boolean welcome(Trunk trunk) {
        Trunk[] earlier = new Trunk[1];
        Trunk latest = byProcess.compute(trunk.process(), (process, known) -> {
            if (known != null && known.epoch() >= trunk.epoch()) {
                return known;
            }
            earlier[0] = known;
            return trunk;
        });
        if (earlier[0] != null) {
            earlier[0].supersede();
        }
        return latest == trunk;
    }

    /** Closes the trunk if another node has a later one of its process. */
    void renew(Trunk trunk) {
        epochs.raise(trunk.process(), trunk.epoch()).thenAccept(latest -> {
            if (latest > trunk.epoch()) {
                trunk.supersede();
            }
        });
    }

    void ended(Trunk trunk) {
        trunks.remove(trunk);
        byProcess.remove(trunk.process(), trunk);
    }
}
