package io.hadir.socketio.support;

import io.hadir.socketio.Ack;
import io.hadir.socketio.Admission;
import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.Handshake;
import io.hadir.socketio.Socket;
import io.hadir.socketio.SocketListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import tools.jackson.databind.JsonNode;

/**
 * Forwards every call and checks the contract of {@link SocketListener}: one disconnected per connected, nothing after
 * it, and never two calls for one socket at a time.
 */
public final class Recorder implements SocketListener {
    /** The calls for one socket. */
    public static final class Life {
        private final Socket socket;
        private final AtomicBoolean busy = new AtomicBoolean();
        private final List<String> calls = new ArrayList<>();
        private final List<String> events = new ArrayList<>();
        private volatile DisconnectReason end;

        Life(Socket socket) {
            this.socket = socket;
        }

        public Socket socket() {
            return socket;
        }

        /** Why it disconnected, null while it is connected. */
        public DisconnectReason end() {
            return end;
        }

        /** The names of the calls, in order. */
        public synchronized List<String> calls() {
            return List.copyOf(calls);
        }

        /** Each event as its name and arguments in JSON. */
        public synchronized List<String> events() {
            return List.copyOf(events);
        }
    }

    private final SocketListener next;
    private final Map<String, Life> lives = new ConcurrentHashMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger abandoned = new AtomicInteger();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicInteger disconnected = new AtomicInteger();

    public Recorder(SocketListener next) {
        this.next = next;
    }

    @Override
    public CompletionStage<Admission> connecting(Handshake handshake) {
        return next.connecting(handshake);
    }

    @Override
    public void abandoned(Handshake handshake) {
        abandoned.incrementAndGet();
        next.abandoned(handshake);
    }

    /** How many clients disconnected before they were connected. */
    public int abandoned() {
        return abandoned.get();
    }

    @Override
    public void connected(Socket socket) {
        Life life = new Life(socket);
        if (lives.put(socket.id(), life) != null) {
            violations.add("connected twice: " + socket.id());
        }
        connected.incrementAndGet();
        guarded(life, "connected", () -> next.connected(socket));
    }

    @Override
    public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
        Life life = life(socket);
        synchronized (life) {
            life.events.add(name + arguments);
        }
        guarded(life, "event", () -> next.event(socket, name, arguments, ack));
    }

    @Override
    public int cost(String name, JsonNode payload) {
        return next.cost(name, payload);
    }

    @Override
    public long takeShared(Socket socket, int cost, long nowNanos) {
        return next.takeShared(socket, cost, nowNanos);
    }

    @Override
    public void limited(Socket socket, String name, Ack ack, Duration wait) {
        guarded(life(socket), "limited", () -> next.limited(socket, name, ack, wait));
    }

    @Override
    public void disconnecting(Socket socket, DisconnectReason reason) {
        guarded(life(socket), "disconnecting", () -> next.disconnecting(socket, reason));
    }

    @Override
    public void disconnected(Socket socket, DisconnectReason reason) {
        Life life = life(socket);
        try {
            guarded(life, "disconnected", () -> next.disconnected(socket, reason));
        } finally {
            life.end = reason;
            disconnected.incrementAndGet();
        }
    }

    private Life life(Socket socket) {
        Life life = lives.get(socket.id());
        if (life == null) {
            violations.add("never connected: " + socket.id());
            return new Life(socket);
        }
        return life;
    }

    private void guarded(Life life, String what, Runnable call) {
        if (!life.busy.compareAndSet(false, true)) {
            violations.add("two calls at a time: " + what);
        }
        synchronized (life) {
            if (life.calls.contains("disconnected")) {
                violations.add(what + " after disconnected");
            }
            if (!what.equals("event") || !life.calls.contains(what)) {
                life.calls.add(what);
            }
        }
        try {
            call.run();
        } finally {
            life.busy.set(false);
        }
    }

    /** Every violation of the contract, including sockets that never disconnected. */
    public List<String> violationsAtTheEnd() {
        List<String> all = new ArrayList<>(violations);
        lives.forEach((id, life) -> {
            if (life.end == null) {
                all.add("never disconnected: " + id + " " + life.calls());
            }
        });
        return all;
    }

    public int connected() {
        return connected.get();
    }

    public int disconnected() {
        return disconnected.get();
    }

    public List<Life> lives() {
        return List.copyOf(lives.values());
    }

    /** The only socket that ever connected. */
    public Life only() {
        if (lives.size() != 1) {
            throw new IllegalStateException(lives.size() + " sockets instead of one");
        }
        return lives.values().iterator().next();
    }
}
