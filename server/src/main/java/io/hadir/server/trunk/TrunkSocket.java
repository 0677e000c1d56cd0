package io.hadir.server.trunk;

import io.hadir.server.events.PresenceSockets;
import io.hadir.socketio.Ack;
import io.hadir.socketio.Handshake;
import io.hadir.socketio.Socket;
import io.hadir.socketio.limit.SenderLimit;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A client behind a trunk, which carries everything that the client sends and receives. */
final class TrunkSocket implements Socket {
    final long number;
    /** Known until it is connected. */
    @Nullable
    Handshake handshake;
    /** The rooms to take over, as the app names them; those done are removed. */
    List<JsonNode> rooms;
    /** What waits for the admission, in order; null if nothing does. On the trunk's loop. */
    private @Nullable ArrayDeque<Waiting> waiting;

    final SenderLimit limit;
    /** Whether it will be closed once its accepted events are answered. On the trunk's loop. */
    boolean flooded;

    private final Trunk trunk;
    private final String id;
    private volatile @Nullable Object attachment;
    private volatile boolean connected;
    /** Guarded by this. */
    private Set<String> groups = Set.of();

    TrunkSocket(Trunk trunk, long number, String id, JsonNode rooms, SenderLimit limit) {
        this.trunk = trunk;
        this.number = number;
        this.id = id;
        this.limit = limit;
        this.rooms = rooms.isEmpty() ? List.of() : new ArrayList<>(rooms.values());
        handshake = new Handshake(id, JsonNodeFactory.instance.objectNode());
    }

    /**
     * Runs an action once the socket is admitted or refused.
     *
     * @param since when it began to wait
     * @param givenUp runs instead if the action waits for too long
     */
    void whenAdmitted(long since, Runnable action, Runnable givenUp) {
        if (waiting == null) {
            waiting = new ArrayDeque<>(2);
        }
        waiting.add(new Waiting(since, action, givenUp));
    }

    /** Gives up the actions that have waited since then, or for longer. */
    void giveUp(long since) {
        while (waiting != null && !waiting.isEmpty() && waiting.peek().since - since <= 0) {
            waiting.remove().givenUp.run();
        }
    }

    private record Waiting(long since, Runnable action, Runnable givenUp) {}

    /** Runs the actions that waited for the admission or refusal. */
    void admissionEnded() {
        handshake = null;
        ArrayDeque<Waiting> ready = waiting;
        waiting = null;
        if (ready != null) {
            ready.forEach(one -> one.action.run());
        }
    }

    void connect(@Nullable Object newAttachment) {
        attachment = newAttachment;
        connected = true;
    }

    /** Ends the connection, but leaves the groups as they are. */
    void end() {
        connected = false;
    }

    /** Leaves all groups without telling the app, which knows that the socket is gone. */
    synchronized void leaveAll() {
        groups.forEach(this::leaveGroup);
        groups = Set.of();
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
        return connected;
    }

    @Override
    public void emit(String event, @Nullable Object... arguments) {
        if (connected) {
            trunk.send("emit", List.of(number), event, arguments.length == 0 ? null : arguments[0]);
        }
    }

    @Override
    public CompletionStage<List<JsonNode>> ask(Duration timeout, String event, @Nullable Object... arguments) {
        // A trunk carries no acknowledgements of clients.
        return CompletableFuture.failedStage(
                new UnsupportedOperationException("a trunk carries no acknowledgements from clients"));
    }

    /** Joins the group of a lobby. */
    @Override
    public synchronized void join(String group) {
        if (add(group)) {
            trunk.trunks().joinLobby(group, this);
        }
    }

    /** Joins the group of a room, which has this revision. */
    synchronized void enter(String group, long revision) {
        if (add(group)) {
            trunk.send("enter", number, PresenceSockets.roomOf(group), id, revision);
            trunk.trunks().join(group, trunk);
        }
    }

    private boolean add(String group) {
        if (!connected) {
            return false;
        }
        if (groups.isEmpty()) {
            groups = new TreeSet<>();
        }
        return groups.add(group);
    }

    @Override
    public synchronized void leave(String group) {
        boolean wasIn = groups.contains(group);
        if (wasIn) {
            groups.remove(group);
            leaveGroup(group);
        }
        String room = PresenceSockets.roomOf(group);
        // The app still counts a client as in a room that it could not be put back into.
        if (room != null && (wasIn || connected)) {
            trunk.send("exit", number, room);
        }
    }

    private void leaveGroup(String group) {
        if (PresenceSockets.roomOf(group) == null) {
            trunk.trunks().leaveLobby(group, this);
        } else {
            trunk.trunks().leave(group, trunk);
        }
    }

    Trunk trunk() {
        return trunk;
    }

    /** It was removed from its last room. The app decides whether its client stays connected. */
    void removed() {
        trunk.close(this, Trunk.REMOVED);
    }

    @Override
    public void disconnect() {
        trunk.close(this, Trunk.DISCONNECTED);
    }

    @Override
    public void close() {
        trunk.close(this, Trunk.INTERNAL);
    }

    /** The acknowledgement of an event. */
    static final class EventAck extends AtomicBoolean implements Ack {
        private static final long serialVersionUID = 1;
        private final transient Trunk trunk;
        /** Null if the client wants none. */
        private final transient @Nullable JsonNode number;

        EventAck(Trunk trunk, @Nullable JsonNode number) {
            this.trunk = trunk;
            this.number = number;
        }

        @Override
        public boolean isWanted() {
            return number != null;
        }

        @Override
        public void send(@Nullable Object... arguments) {
            if (number != null && compareAndSet(false, true)) {
                trunk.send("ack", number, arguments.length == 0 ? null : arguments[0]);
            }
        }
    }
}
