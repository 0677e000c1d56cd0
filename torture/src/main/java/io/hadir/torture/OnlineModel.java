package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Who must be online, who must be offline, and who may be either, judged from the clients' side. */
final class OnlineModel {
    /** How long a user stays online after their server died, and the time to announce that. */
    private static final long LIFE =
            Duration.ofSeconds(90).plus(Cause.ANNOUNCING.multipliedBy(2)).toNanos();

    private static final long KEPT = 2 * LIFE;
    private static final long AROUND = Duration.ofSeconds(1).toNanos();
    /** How long a server may take to record that a user is online. */
    private static final long RECORDED = Duration.ofSeconds(2).toNanos();

    private static final long UNREST = Duration.ofMillis(100).toNanos();

    private final Map<String, List<Socket>> users = new HashMap<>();
    private final Stopwatch watch;
    private final FaultTimeline timeline;
    private final Stalls stalls;
    private final ServerSettings settings;

    /** One connection of a user, from the attempt to connect on. */
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

        /** The server hears nothing from the socket, and will close it after the ping timeout. */
        void silent() {
            silentSince = Math.min(silentSince, watch.now());
        }

        /** The server hears the socket again, unless it closed it before. */
        void heard() {
            silentSince = Stopwatch.NEVER;
            revived = true;
        }

        void ended() {
            endedAt = Math.min(endedAt, watch.now());
        }

        /** Whether the user must be online: the socket connected undisturbed before this time, and still exists. */
        private boolean proves(long asked) {
            boolean exists = endedAt == Stopwatch.NEVER && silentSince == Stopwatch.NEVER && !revived;
            return exists
                    && connectedAt != Stopwatch.NEVER
                    && asked > connectedAt + RECORDED
                    && timeline.isCalm(connectedAt - AROUND, connectedAt + RECORDED, node)
                    && stalls.between(connectedAt - AROUND, connectedAt + RECORDED) < UNREST
                    && !timeline.mayHaveLost(connectedAt - AROUND, watch.now(), node)
                    // While a trunk moves, its users are offline for a moment.
                    && (!settings.attached() || timeline.isCalm(asked - RECORDED, watch.now(), node));
        }

        /** By when this socket no longer keeps its user online. */
        private long offlineBy() {
            if (endedAt == Stopwatch.NEVER) {
                return Stopwatch.NEVER;
            }
            long at = Math.min(endedAt, silentSince);
            long noticed =
                    silentSince < endedAt ? Cause.SILENCE.noticed(settings).toNanos() : 0;
            long deadline = at + noticed + Cause.ANNOUNCING.toNanos();
            boolean undone = timeline.mayHaveLost(at - AROUND, watch.now(), node);
            if (undone || !timeline.isCalm(at - AROUND, deadline, node)) {
                return timeline.lastRecoveryOfRedis(at, watch.now()) + LIFE;
            }
            return stalls.postpone(at, deadline);
        }
    }

    OnlineModel(Stopwatch watch, FaultTimeline timeline, Stalls stalls, ServerSettings settings) {
        this.watch = watch;
        this.timeline = timeline;
        this.stalls = stalls;
        this.settings = settings;
    }

    /** A user is about to connect to a server. */
    Socket open(String user, int node) {
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

    /**
     * Judges whether a user may be online, or offline.
     *
     * @param asked when their status was asked for
     * @param mistake hears what is wrong, if anything
     */
    void judge(String user, boolean online, long asked, Consumer<String> mistake) {
        List<Socket> sockets = users.getOrDefault(user, List.of());
        if (!online) {
            if (sockets.stream().anyMatch(socket -> socket.proves(asked))) {
                mistake.accept(user + " has a socket and is not online");
            }
            return;
        }
        long offlineBy = sockets.stream().mapToLong(Socket::offlineBy).max().orElse(0);
        if (asked > offlineBy) {
            mistake.accept(
                    user + " has no socket and is online; they had to be offline by " + Stopwatch.format(offlineBy));
        }
    }
}
