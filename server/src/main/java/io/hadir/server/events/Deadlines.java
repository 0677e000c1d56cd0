package io.hadir.server.events;

import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.server.wire.ErrorJson;
import io.hadir.socketio.Socket;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Closes sockets whose token has expired, and tells their clients why. One tick a second serves all sockets, instead of
 * a timer for each.
 *
 * <p>It closes the sockets instead of disconnecting them, because a Socket.IO client then reconnects by itself, with a
 * new token if it has one. With the old token it is refused, and does not try again.
 */
final class Deadlines {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final PresenceError EXPIRED = PresenceError.of(ErrorCode.UNAUTHENTICATED, "the token has expired");

    private final TreeMap<Instant, Set<Socket>> sockets = new TreeMap<>();
    private final InstantSource clock;

    Deadlines(InstantSource clock) {
        this.clock = clock;
    }

    void start(Loop loop) {
        loop.after(TICK, () -> {
            tick();
            start(loop);
        });
    }

    void add(Socket socket, Instant end) {
        synchronized (this) {
            sockets.computeIfAbsent(end, key -> new HashSet<>(2)).add(socket);
        }
        if (!socket.isConnected()) {
            // It disconnected before it was added, so nothing else would remove it.
            remove(socket, end);
        }
    }

    synchronized void remove(Socket socket, Instant end) {
        sockets.computeIfPresent(end, (key, ending) -> {
            ending.remove(socket);
            return ending.isEmpty() ? null : ending;
        });
    }

    private void tick() {
        for (Socket socket : removeExpired()) {
            socket.emit("room:error", ErrorJson.of(EXPIRED, Gate.REFRESH));
            socket.close();
        }
    }

    private synchronized List<Socket> removeExpired() {
        List<Socket> expired = new ArrayList<>();
        Map<Instant, Set<Socket>> past = sockets.headMap(clock.instant(), true);
        past.values().forEach(expired::addAll);
        past.clear();
        return expired;
    }
}
