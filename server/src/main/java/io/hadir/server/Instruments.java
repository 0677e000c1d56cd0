package io.hadir.server;

import io.hadir.presence.inspect.Auditor;
import io.hadir.presence.inspect.Discrepancy;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.stats.Census;
import io.hadir.presence.stats.Tally;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.server.auth.TokenProblem;
import io.hadir.server.auth.Tokens;
import io.hadir.server.http.ApiGuard;
import io.hadir.server.metrics.Metrics;
import io.hadir.socketio.SocketCounts;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.engine.CloseReason;
import io.hadir.socketio.engine.Engine;
import io.hadir.socketio.limit.Slots;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Shows the counts that the masters of a server keep for themselves. */
final class Instruments {
    private static final long CENSUS_MILLIS = 500;

    private Instruments() {}

    static void transport(Metrics metrics, Slots connections, Engine engine, SocketServer sockets) {
        metrics.gauge("hadir.connections", "Open TCP connections", connections::taken);
        metrics.gauge("hadir.sessions", "Open Engine.IO sessions", engine::sessions);
        metrics.gauge("hadir.sockets", "Connected Socket.IO sockets", sockets::size);
        metrics.counter("hadir.connections.refused", "TCP connections beyond a limit", connections::refused);
        metrics.counter("hadir.sessions.refused", "Engine.IO sessions beyond the limit", engine::refused);
        metrics.counter(
                "hadir.send.buffer.closings",
                "Sessions closed because their client did not read",
                engine::sendBufferClosings);
        for (CloseReason reason : CloseReason.values()) {
            metrics.counter(
                    "hadir.sessions.closed",
                    "Engine.IO sessions that ended",
                    () -> engine.closings(reason),
                    "reason",
                    reason.name().toLowerCase(Locale.ROOT));
        }
        SocketCounts counts = sockets.counts();
        metrics.counter("hadir.sockets.refused", "Sockets that were not let in", counts::refusals);
        metrics.counter("hadir.events.limited", "Events beyond a socket's rate", counts::limitedEvents);
        metrics.counter(
                "hadir.flood.closings",
                "Sessions closed because they went on sending too much",
                () -> counts.floods() + engine.floods());
        metrics.counter(
                "hadir.deliveries", "Messages to rooms, counted once for each socket they went to", counts::deliveries);
    }

    /** @param tokens null in open mode */
    static void tokens(Metrics metrics, @Nullable Tokens tokens) {
        for (TokenProblem problem : TokenProblem.values()) {
            metrics.counter(
                    "hadir.tokens.refused",
                    "Tokens that were refused",
                    () -> tokens == null ? 0 : tokens.refusals(problem),
                    "reason",
                    problem.wire());
        }
    }

    static void api(Metrics metrics, ApiGuard guard) {
        for (ApiGuard.Reason reason : ApiGuard.Reason.values()) {
            metrics.counter(
                    "hadir.api.refused",
                    "Calls of the API that were turned away before they were looked at",
                    () -> guard.refusals(reason),
                    "reason",
                    reason.wire());
        }
    }

    static void redis(Metrics metrics, RedisLink link, RemovalStatistics removals) {
        metrics.gauge(
                "hadir.redis.up",
                "Whether Redis can be used",
                () -> link.trouble().isEmpty() ? 1 : 0);
        metrics.gauge("hadir.redis.parts.away", "Masters of a Redis Cluster that cannot be used", link::mastersAway);
        for (RedisFailure kind : RedisFailure.values()) {
            metrics.counter(
                    "hadir.redis.failures",
                    "Redis commands that failed",
                    () -> link.failures(kind),
                    "kind",
                    kind.label());
        }
        for (LeaveReason reason : LeaveReason.values()) {
            metrics.counter(
                    "hadir.leaves",
                    "Users who went out of a room, counted by the server that took them out",
                    () -> removals.counted(reason),
                    "reason",
                    reason.wire());
        }
    }

    /** What the history is made of: the same counts. */
    static Tally counted(Metrics metrics, RemovalStatistics removals) {
        Map<LeaveReason, Long> leaves = new EnumMap<>(LeaveReason.class);
        for (LeaveReason reason : LeaveReason.values()) {
            leaves.put(reason, removals.counted(reason));
        }
        return new Tally(metrics.arrivals(), leaves, metrics.redisTime(), metrics.redisCommands());
    }

    static void audit(Metrics metrics, Auditor auditor) {
        for (Discrepancy.Kind kind : Discrepancy.Kind.values()) {
            metrics.gauge(
                    "hadir.audit.discrepancies",
                    "What the last audit on this server found, and a sweep should have put right",
                    () -> Optional.ofNullable(auditor.finished())
                            .map(report -> report.count(kind))
                            .orElse(0L),
                    "kind",
                    kind.wire());
        }
        metrics.gauge(
                "hadir.audit.last.finished.timestamp.seconds",
                "When the last audit on this server began that went through to its end, 0 if none has",
                () -> Optional.ofNullable(auditor.finished())
                        .map(report -> report.startedAt().toEpochMilli() / 1e3)
                        .orElse(0.0));
    }

    static void presence(Metrics metrics, Supplier<CompletionStage<Census>> source) {
        Counted counted = new Counted();
        metrics.beforeScrape(() -> counted.take(source.get()));
        metrics.gauge("hadir.rooms", "Rooms in which this server has sockets", () -> counted.last.rooms());
        metrics.gauge(
                "hadir.participants",
                "Users with sockets on this server, counted once in each room",
                () -> counted.last.participants());
        metrics.gauge(
                "hadir.memberships",
                "Sockets of this server, counted once in each room",
                () -> counted.last.memberships());
        metrics.gauge(
                "hadir.departures.waiting",
                "Leaves and disconnects of which Redis has not heard yet",
                () -> counted.last.departures());
    }

    /** The last census; an older one if the loop is too busy for another. */
    private static final class Counted {
        private volatile Census last = Census.NOTHING;

        void take(CompletionStage<Census> census) {
            last = census.toCompletableFuture()
                    .completeOnTimeout(last, CENSUS_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        }
    }
}
