package io.hadir.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;

/** What is known from outside of who has a socket, and so who must be online, who must not, and who may be either. */
final class Online {
    /** How long a user stays online whose server died, and the time it takes to tell it. */
    private static final long LIFE =
            Duration.ofSeconds(90).plus(Cause.TELLING.multipliedBy(2)).toNanos();

    private static final long KEPT = 2 * LIFE;
    private static final long AROUND = Duration.ofSeconds(1).toNanos();
    /** In which a server has noted who has come. */
    private static final long NOTED = Duration.ofSeconds(2).toNanos();

    private static final long UNREST = Duration.ofMillis(100).toNanos();

    private final Map<String, List<Socket>> users = new HashMap<>();
    private final Stopwatch watch;
    private final Timeline timeline;
    private final Pulse pulse;
    private final Terms terms;

    /** A connection, from the first attempt on. */
    final class Socket {
        private final int node;
        private long connectedAt = Stopwatch.NEVER;
        private long silentSince = Stopwatch.NEVER;
        private long endedAt = Stopwatch.NEVER;
        private boolean revived;

        private Socket(int node) {
            this.node = node;
        }

        void connected() {
            connectedAt = watch.now();
        }

        /** Is not heard from now on, so that its server gives it up. */
        void silent() {
            silentSince = Math.min(silentSince, watch.now());
        }

        /** Is heard again, if its server has not given it up meanwhile. */
        void heard() {
            silentSince = Stopwatch.NEVER;
            revived = true;
        }

        void ended() {
            endedAt = Math.min(endedAt, watch.now());
        }

        /**
         * Whether its user must be online since before this time: it came when nothing was broken and the machine had time, and
         * is still there.
         */
        private boolean proves(long asked) {
            boolean there = endedAt == Stopwatch.NEVER && silentSince == Stopwatch.NEVER && !revived;
            return there
                    && connectedAt != Stopwatch.NEVER
                    && asked > connectedAt + NOTED
                    && timeline.calm(connectedAt - AROUND, connectedAt + NOTED, node)
                    && pulse.stalled(connectedAt - AROUND, connectedAt + NOTED) < UNREST
                    && !timeline.lost(connectedAt - AROUND, watch.now(), node);
        }

        /** By when its user is not online by it any more. */
        private long outBy() {
            if (endedAt == Stopwatch.NEVER) {
                return Stopwatch.NEVER;
            }
            long at = Math.min(endedAt, silentSince);
            long noticed = silentSince < endedAt ? Cause.SILENCE.noticed(terms).toNanos() : 0;
            long out = at + noticed + Cause.TELLING.toNanos();
            boolean undone = timeline.lost(at - AROUND, watch.now(), node);
            if (undone || !timeline.calm(at - AROUND, out, node)) {
                return timeline.lastDisorder(at, watch.now()) + LIFE;
            }
            return pulse.putOff(at, out);
        }
    }

    Online(Stopwatch watch, Timeline timeline, Pulse pulse, Terms terms) {
        this.watch = watch;
        this.timeline = timeline;
        this.pulse = pulse;
        this.terms = terms;
    }

    /** Somebody is about to connect to a server. */
    Socket opens(String user, int node) {
        List<Socket> sockets = users.computeIfAbsent(user, name -> new ArrayList<>());
        long now = watch.now();
        sockets.removeIf(socket -> socket.endedAt < now - KEPT);
        Socket socket = new Socket(node);
        sockets.add(socket);
        return socket;
    }

    Set<String> users() {
        return users.keySet();
    }

    /** Says of a user who was seen online or not, asked at a time, what is wrong with that, if anything. */
    void judge(String user, boolean online, long asked, BiConsumer<String, String> wrong) {
        List<Socket> sockets = users.getOrDefault(user, List.of());
        if (!online) {
            if (sockets.stream().anyMatch(socket -> socket.proves(asked))) {
                wrong.accept(user, user + " has a socket and is not online");
            }
            return;
        }
        long outBy = sockets.stream().mapToLong(Socket::outBy).max().orElse(0);
        if (asked > outBy) {
            wrong.accept(
                    user, user + " has no socket and is online; it had to be offline by " + Stopwatch.words(outBy));
        }
    }
}
