package io.hadir.server.events;

import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.server.wire.Fields;
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
 * When the tokens of sockets run out. There is no timer for each: a look every second finds those whose time is over,
 * tells them why, and closes them.
 *
 * <p>Closed, not disconnected: a Socket.IO client then comes back by itself, with a new token if it has one. One with the
 * old is refused, and by that does not try again.
 */
final class Deadlines {
    private static final Duration TICK = Duration.ofSeconds(1);
    private static final PresenceError RAN_OUT = PresenceError.of(ErrorCode.UNAUTHENTICATED, "the token has run out");

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
            // It went while it was on its way here, and nobody else will take it out.
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
        for (Socket socket : takeEnded()) {
            Map<String, Object> message = Fields.error(RAN_OUT);
            message.put("event", Gate.REFRESH);
            socket.emit("room:error", message);
            socket.close();
        }
    }

    private synchronized List<Socket> takeEnded() {
        List<Socket> ended = new ArrayList<>();
        Map<Instant, Set<Socket>> over = sockets.headMap(clock.instant(), true);
        over.values().forEach(ended::addAll);
        over.clear();
        return ended;
    }
}
