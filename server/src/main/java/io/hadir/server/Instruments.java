package io.hadir.server;

import io.hadir.presence.LocalNode;
import io.hadir.presence.inspect.Auditor;
import io.hadir.presence.inspect.Discrepancy;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.stats.Tally;
import io.hadir.redis.link.RedisFailure;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.server.auth.TokenProblem;
import io.hadir.server.auth.Tokens;
import io.hadir.server.http.ApiGuard;
import io.hadir.server.metrics.Metrics;
import io.hadir.server.trunk.TrunkGuard;
import io.hadir.server.trunk.Trunks;
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

/** Registers a metric for each count that the parts of a node keep. */
final class Instruments {
    private static final long LOAD_MILLIS = 500;

    private Instruments() {}

    static void transport(Metrics metrics, Slots connections, Engine engine, SocketServer sockets) {
        metrics.gauge("hadir.connections", "Open TCP connections", connections::taken);
        metrics.gauge("hadir.sessions", "Open Engine.IO sessions", engine::sessions);
        metrics.gauge("hadir.sockets", "Connected Socket.IO sockets, without those behind trunks", sockets::size);
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
        metrics.counter(
                "hadir.sockets.refused",
                "Sockets refused for their token, their namespace or too many sockets of their user",
                counts::refusals);
        metrics.counter("hadir.events.limited", "Events above the limit of a socket or user", counts::limitedEvents);
        metrics.counter(
                "hadir.flood.closings",
                "Sessions closed because they kept sending too much",
                () -> counts.floods() + engine.floods());
        metrics.counter("hadir.deliveries", "Messages to rooms, counted once per socket", counts::deliveries);
    }

    /** @param tokens null in open mode */
    static void tokens(Metrics metrics, @Nullable Tokens tokens) {
        for (TokenProblem problem : TokenProblem.values()) {
            metrics.counter(
                    "hadir.tokens.refused",
                    "Refused tokens",
                    () -> tokens == null ? 0 : tokens.refusals(problem),
                    "reason",
                    problem.wire());
        }
    }

    static void api(Metrics metrics, ApiGuard guard) {
        for (ApiGuard.Reason reason : ApiGuard.Reason.values()) {
            metrics.counter(
                    "hadir.api.refused",
                    "API calls refused before they were read",
                    () -> guard.refusals(reason),
                    "reason",
                    reason.wire());
        }
    }

    /** @param guard null if there are no trunks */
    static void trunks(Metrics metrics, Trunks trunks, @Nullable TrunkGuard guard) {
        metrics.gauge("hadir.trunks", "Open trunks", trunks::size);
        metrics.gauge("hadir.trunk.sockets", "Sockets behind trunks", trunks::socketCount);
        metrics.counter(
                "hadir.trunks.refused", "Trunks refused for a wrong key", () -> guard == null ? 0 : guard.refusals());
        metrics.counter(
                "hadir.trunk.send.buffer.closings",
                "Trunks closed because their app did not read",
                trunks::slowClosings);
    }

    static void redis(Metrics metrics, RedisLink link, RemovalStatistics removals) {
        metrics.gauge(
                "hadir.redis.up",
                "Whether Redis is usable and fast enough",
                () -> link.trouble().isEmpty() ? 1 : 0);
        metrics.gauge("hadir.redis.parts.away", "Unusable masters of a Redis Cluster", link::mastersAway);
        for (RedisFailure kind : RedisFailure.values()) {
            metrics.counter(
                    "hadir.redis.failures", "Failed Redis commands", () -> link.failures(kind), "kind", kind.label());
        }
        for (RemovalReason reason : RemovalReason.values()) {
            metrics.counter(
                    "hadir.leaves",
                    "Users who left a room or were removed, counted by the node that removed them",
                    () -> removals.counted(reason),
                    "reason",
                    reason.wire());
        }
    }

    /** The counts that the history is made of. */
    static Tally counted(Metrics metrics, RemovalStatistics removals) {
        Map<RemovalReason, Long> leaves = new EnumMap<>(RemovalReason.class);
        for (RemovalReason reason : RemovalReason.values()) {
            leaves.put(reason, removals.counted(reason));
        }
        return new Tally(metrics.arrivals(), leaves, metrics.redisTime(), metrics.redisCommands());
    }

    static void audit(Metrics metrics, Auditor auditor) {
        for (Discrepancy.Kind kind : Discrepancy.Kind.values()) {
            metrics.gauge(
                    "hadir.audit.discrepancies",
                    "Lasting faults that the last audit on this node found",
                    () -> Optional.ofNullable(auditor.finished())
                            .map(report -> report.count(kind))
                            .orElse(0L),
                    "kind",
                    kind.wire());
        }
        metrics.gauge(
                "hadir.audit.last.finished.timestamp.seconds",
                "Start of the last complete audit on this node, or 0",
                () -> Optional.ofNullable(auditor.finished())
                        .map(report -> report.startedAt().toEpochMilli() / 1e3)
                        .orElse(0.0));
    }

    static void presence(Metrics metrics, Supplier<CompletionStage<LocalNode.Load>> source) {
        LatestLoad latest = new LatestLoad();
        metrics.beforeScrape(() -> latest.take(source.get()));
        metrics.gauge("hadir.rooms", "Rooms with sockets on this node", () -> latest.load.rooms());
        metrics.gauge(
                "hadir.participants",
                "Users with sockets on this node, counted once in each room",
                () -> latest.load.participants());
        metrics.gauge(
                "hadir.memberships",
                "Sockets on this node, counted once in each room",
                () -> latest.load.memberships());
        metrics.gauge(
                "hadir.departures.waiting", "Leaves and disconnects not yet in Redis", () -> latest.load.departures());
    }

    /** The latest load; stays as it is if the loop is too busy to answer in time. */
    private static final class LatestLoad {
        private volatile LocalNode.Load load = LocalNode.Load.NONE;

        void take(CompletionStage<LocalNode.Load> next) {
            load = next.toCompletableFuture()
                    .completeOnTimeout(load, LOAD_MILLIS, TimeUnit.MILLISECONDS)
                    .join();
        }
    }
}
