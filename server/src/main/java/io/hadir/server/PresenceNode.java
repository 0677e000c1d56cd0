package io.hadir.server;

import io.hadir.presence.node.Node;
import io.hadir.presence.node.Ports;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.HistoryRecorder;
import io.hadir.presence.stats.RecentChanges;
import io.hadir.presence.sweep.SweepReport;
import io.hadir.presence.user.Disconnects;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.node.RedisEpochs;
import io.hadir.redis.node.RedisPorts;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.redis.store.ForeignPresences;
import io.hadir.server.auth.Tokens;
import io.hadir.server.config.Config;
import io.hadir.server.events.Gate;
import io.hadir.server.events.PresenceEvents;
import io.hadir.server.events.PresenceSockets;
import io.hadir.server.events.Sockets;
import io.hadir.server.http.ActionLog;
import io.hadir.server.http.Api;
import io.hadir.server.http.ApiGuard;
import io.hadir.server.http.BanRoutes;
import io.hadir.server.http.InspectRoutes;
import io.hadir.server.http.OverviewRoutes;
import io.hadir.server.http.ParticipantRoutes;
import io.hadir.server.http.RecentRoutes;
import io.hadir.server.http.RoomRoutes;
import io.hadir.server.http.UserRoutes;
import io.hadir.server.limit.Buckets;
import io.hadir.server.metrics.Metrics;
import io.hadir.server.trunk.Trunks;
import io.hadir.server.wire.Texts;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.http.Router;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Presence on Redis for the sockets of this server: everything behind the transport, its start and its end. */
final class PresenceNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PresenceNode.class);
    private static final double PERCENT = 100;

    /** How long the start waits for Redis. Without Redis, the server starts anyway, but is not ready. */
    private static final Duration FIRST_LINK = Duration.ofSeconds(5);
    /** How long the server is not ready while it cleans up after its predecessor. The cleanup goes on afterwards. */
    private static final Duration CLEANUP = Duration.ofSeconds(5);
    /** How long the shutdown waits until Redis knows who is gone. Otherwise the lease runs out. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(3);

    private final RedisLink link;
    private final boolean adopt;
    private final Loop loop;
    private final NodeInfo info;
    private final Node node;
    private final Disconnects disconnects;
    private final Gate gate;
    private final Trunks trunks;
    private final RemovalStatistics statistics;
    private final HistoryRecorder history;
    private final RecentChanges changes;
    private final ActionLog actions;
    private final CompletableFuture<Void> cleanedUp = new CompletableFuture<>();
    private CompletionStage<Void> opened = CompletableFuture.completedFuture(null);

    PresenceNode(
            RedisAddress redis,
            boolean adopt,
            Config.Presence config,
            Texts texts,
            Config.Limits limits,
            NodeInfo info,
            SocketServer sockets,
            int maxPayloadBytes,
            @Nullable Tokens tokens,
            Duration revocation,
            Metrics metrics,
            EventLoop thread) {
        PresenceSettings settings = new PresenceSettings(
                config.ttl(),
                config.heartbeat(),
                config.grace(),
                config.away(),
                config.sweep(),
                config.sweepShare() / PERCENT,
                config.lease(),
                config.namesLimit(),
                limits.roomsPerSocket());
        UserSettings userSettings = UserSettings.of(config.grace(), limits.socketsPerUser());
        InstantSource clock = InstantSource.system();
        this.adopt = adopt;
        link = new RedisLink(redis, metrics::redisAnswered, thread);
        loop = link.loop();
        this.info = info;
        statistics = new RemovalStatistics(link, clock);
        trunks = new Trunks(sockets, info.id(), maxPayloadBytes, settings.lease(), new RedisEpochs(link)::raise);
        Ports ports = RedisPorts.of(
                link,
                info.id(),
                () -> info.toJson(sockets.size() + trunks.socketCount(), usersLed(), settings.lease()),
                statistics,
                settings,
                userSettings,
                metrics.observer());
        gate = new Gate(tokens, clock);
        Buckets<UserId> budgets = new Buckets<>(limits.eventsPerSecondOfUser(), limits.maxConnections());
        PresenceEvents events = sockets.open("/", namespace -> {
            PresenceSockets clients = new PresenceSockets(List.of(Sockets.of(namespace), trunks), settings, texts);
            clients.observe(metrics.observer());
            Node wired = new Node(ports, clients, clock, settings, userSettings);
            return new PresenceEvents(wired, gate, budgets, settings);
        });
        node = events.node();
        trunks.serve(events);
        disconnects = new Disconnects(node.users(), node.presence(), revocation);
        history = new HistoryRecorder(
                ports.history(),
                () -> Instruments.counted(metrics, statistics),
                () -> Gauges.take(ports.stores().directory(), ports.nodes()),
                loop);
        changes = new RecentChanges(ports.changes(), info.id(), loop);
        metrics.onArrival(changes::joined);
        statistics.listen(changes::left);
        actions = new ActionLog(ports.actions(), info.id(), loop);
        node.sweeper().onSwept(report -> {
            metrics.swept(report);
            history.swept(report);
        });
        metrics.gauge(
                "hadir.scan.presences",
                "Presences that this server's scan has reached; those of its last scan if none is under way",
                node.sweeper()::scanned);
        Instruments.redis(metrics, link, statistics);
        Instruments.audit(metrics, node.auditor());
        Instruments.presence(metrics, node.presence().node()::load);
    }

    /** Starts to connect to Redis. */
    void open() {
        opened = link.open();
    }

    /** The trunks that lead to this node. */
    Trunks trunks() {
        return trunks;
    }

    private int usersLed() {
        return node.users().led();
    }

    /**
     * Starts everything.
     *
     * @param foreign hears of another program's presence if Redis is reached only later
     * @throws IOException if Redis has presences of another program
     */
    void start(Consumer<String> foreign) throws IOException {
        await(opened, FIRST_LINK);
        CompletableFuture<Optional<String>> found =
                opened.thenCompose(up -> foreignPresence()).toCompletableFuture();
        await(found.thenAccept(done -> {}), link.isUp() ? FIRST_LINK : Duration.ZERO);
        Optional<String> key = found.getNow(Optional.empty());
        if (key.isPresent()) {
            throw new IOException(inWords(key.get()));
        }
        found.thenAccept(late -> late.map(PresenceNode::inWords).ifPresent(foreign));
        await(node.lease().start(), FIRST_LINK);
        opened.thenRun(this::cleanUp);
        await(cleanedUp, link.isUp() ? CLEANUP : Duration.ZERO);
        // Lists an empty room, which loads classes and scripts before the first client needs them.
        await(node.presence().list(new RoomId("~"), null, 1).thenAccept(listing -> {}), FIRST_LINK);
        node.sweeper().start();
        node.users().start();
        statistics.start(loop);
        history.start();
        changes.start();
        gate.start(loop);
    }

    /** The key of a presence that belongs to another program; a Redis that does not answer has none. */
    private CompletionStage<Optional<String>> foreignPresence() {
        CompletionStage<Optional<String>> search =
                adopt ? CompletableFuture.completedFuture(Optional.empty()) : ForeignPresences.find(link);
        return search.thenApply(found -> {
                    if (found.isEmpty()) {
                        ForeignPresences.mark(link);
                    }
                    return found;
                })
                .exceptionally(unknown -> Optional.empty());
    }

    private static String inWords(String key) {
        return "Redis has the key " + key + ", but no Hadir has used it yet: another program keeps presences there"
                + " (expected: --redis-prefix to stay apart, or --adopt-keys to take them over)";
    }

    private void cleanUp() {
        node.cleanup()
                .afterPredecessors(info::succeeds)
                .toCompletableFuture()
                .orTimeout(CLEANUP.toMillis(), TimeUnit.MILLISECONDS)
                .whenComplete((done, failed) -> cleanedUp.complete(null));
    }

    /** Adds every call of the HTTP API. */
    void serve(Router router, ApiGuard guard) {
        Api api = new Api(router, guard, actions);
        RecentRoutes.add(api, changes, actions);
        RoomRoutes.add(api, node.rooms());
        ParticipantRoutes.add(api, node.presence(), node.explainer(), node.bans());
        BanRoutes.add(api, node.bans());
        UserRoutes.add(api, node.users(), disconnects);
        OverviewRoutes.add(api, node.overview(), node.rooms(), link::status, InstantSource.system());
        InspectRoutes.add(api, node.explainer(), node.auditor());
    }

    /** Why it cannot work, in plain words; empty if it can. */
    Optional<String> trouble() {
        return link.trouble()
                .or(() -> cleanedUp.isDone()
                        ? Optional.empty()
                        : Optional.of("cleaning up after the server that ran here before"));
    }

    /** Which part of Redis is away, in plain words; empty if none is. */
    Optional<String> partlyAway() {
        return link.partlyAway();
    }

    /** The report of the last sweep, null before the first. */
    @Nullable
    SweepReport lastSweep() {
        return node.sweeper().last();
    }

    /**
     * Called when every socket is gone: gives their presences the grace period, and releases the lease. If Redis did
     * not hear of all sockets, the lease runs out instead, so that another node, or the next one here, cleans up.
     */
    @Override
    public void close() {
        node.sweeper().stop();
        boolean told = await(node.presence().disconnectAll(), LAST_WORDS, false);
        statistics.flush();
        await(history.stop(), LAST_WORDS);
        if (told) {
            await(node.lease().stop(), LAST_WORDS);
        } else {
            LOG.warn("Redis has not heard of all users who are gone; they leave when the lease has run out");
        }
        link.close();
    }

    private static void await(CompletionStage<Void> stage, Duration most) {
        await(stage.thenApply(done -> true), most, false);
    }

    private static boolean await(CompletionStage<Boolean> stage, Duration most, boolean otherwise) {
        return stage.toCompletableFuture()
                .copy()
                .completeOnTimeout(otherwise, most.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(failed -> otherwise)
                .join();
    }
}
