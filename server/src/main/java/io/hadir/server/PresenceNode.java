package io.hadir.server;

import io.hadir.presence.Bans;
import io.hadir.presence.Presence;
import io.hadir.presence.Rooms;
import io.hadir.presence.inspect.Auditor;
import io.hadir.presence.inspect.Explainer;
import io.hadir.presence.inspect.LocalPeer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.stats.Census;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.HistoryKeeper;
import io.hadir.presence.stats.Overview;
import io.hadir.presence.sweep.LeaseKeeper;
import io.hadir.presence.sweep.SweepReport;
import io.hadir.presence.sweep.Sweeper;
import io.hadir.presence.user.Disconnects;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.Users;
import io.hadir.redis.inspect.RedisPeers;
import io.hadir.redis.inspect.RedisSeatRecords;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.RedisProbe;
import io.hadir.redis.stats.RedisHistoryLog;
import io.hadir.redis.stats.RedisRemovalLog;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.redis.store.RedisBanStore;
import io.hadir.redis.store.RedisNodes;
import io.hadir.redis.store.RedisPresenceScan;
import io.hadir.redis.store.RedisPresenceStore;
import io.hadir.redis.store.RedisRoomFeed;
import io.hadir.redis.user.RedisUserStore;
import io.hadir.server.auth.Tokens;
import io.hadir.server.config.Config;
import io.hadir.server.events.Gate;
import io.hadir.server.events.PresenceEvents;
import io.hadir.server.events.PresenceSockets;
import io.hadir.server.http.Api;
import io.hadir.server.http.AuditRoutes;
import io.hadir.server.http.BanRoutes;
import io.hadir.server.http.ExplainRoutes;
import io.hadir.server.http.HistoryRoutes;
import io.hadir.server.http.MessageRoutes;
import io.hadir.server.http.NodeRoutes;
import io.hadir.server.http.ParticipantRoutes;
import io.hadir.server.http.RedisRoutes;
import io.hadir.server.http.RoomRoutes;
import io.hadir.server.http.SettingsRoutes;
import io.hadir.server.http.StatisticsRoutes;
import io.hadir.server.http.UnreadRoutes;
import io.hadir.server.http.UserRoutes;
import io.hadir.server.limit.Buckets;
import io.hadir.server.metrics.Metrics;
import io.hadir.socketio.SocketServer;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Presence on Redis for the sockets of this server: everything behind the transport, how it starts and how it ends. */
final class PresenceNode implements AutoCloseable {
    /** So long the start waits for Redis. Without it the server starts all the same, and says that it is not ready. */
    private static final Duration FIRST_LINK = Duration.ofSeconds(5);
    /** So long the end waits for Redis to hear who is gone. The leases tell it otherwise. */
    private static final Duration LAST_WORDS = Duration.ofSeconds(3);

    private final RedisLink link;
    private final Loop loop;
    private final Presence presence;
    private final Users users;
    private final Disconnects disconnects;
    private final Gate gate;
    private final Rooms rooms;
    private final Bans bans;
    private final Overview overview;
    private final Explainer explainer;
    private final Auditor auditor;
    private final LeaseKeeper lease;
    private final Sweeper sweeper;
    private final RemovalStatistics statistics;
    private final HistoryKeeper history;

    PresenceNode(
            RedisAddress redis,
            Config.Presence config,
            Config.Limits limits,
            NodeInfo node,
            SocketServer sockets,
            @Nullable Tokens tokens,
            Duration revocation,
            Metrics metrics,
            EventLoop thread) {
        PresenceSettings settings = new PresenceSettings(
                config.ttl(),
                config.heartbeat(),
                config.grace(),
                config.sweep(),
                config.lease(),
                config.inactivityMessage(),
                config.namesLimit(),
                limits.roomsPerSocket());
        InstantSource clock = InstantSource.system();
        link = new RedisLink(redis, metrics::redisAnswered, thread);
        loop = link.loop();
        statistics = new RemovalStatistics(link, clock);
        RedisPresenceStore store = new RedisPresenceStore(link, node.id(), statistics, settings);
        RedisRoomFeed feed = new RedisRoomFeed(link);
        RedisNodes nodes =
                new RedisNodes(link, feed, node.id(), () -> node.toJson(sockets.size(), settings.lease()), settings);
        RedisPresenceScan scan = new RedisPresenceScan(link, node.id(), statistics, settings);
        UserSettings userSettings = UserSettings.of(config.grace(), limits.socketsPerUser());
        RedisUserStore userStore = new RedisUserStore(link, feed, node.id(), userSettings);
        gate = new Gate(tokens, clock);
        Buckets<UserId> budgets = new Buckets<>(limits.eventsPerSecondOfUser(), limits.maxConnections());
        PresenceEvents events = sockets.open("/", namespace -> {
            PresenceSockets local = new PresenceSockets(namespace, settings);
            local.observe(metrics.observer());
            Users known = new Users(userStore, local, loop, userSettings);
            Presence made = new Presence(store, feed, local, loop, clock, settings, known);
            return new PresenceEvents(made, known, gate, budgets, settings);
        });
        presence = events.presence();
        users = events.users();
        disconnects = new Disconnects(users, presence, revocation);
        lease = new LeaseKeeper(nodes, loop, settings.lease());
        lease.listen(users);
        sweeper = new Sweeper(presence, store, scan, nodes, lease, loop, clock, settings);
        rooms = new Rooms(store, presence, loop, settings);
        bans = new Bans(new RedisBanStore(link, node.id(), statistics, settings), users, loop);
        RedisSeatRecords records = new RedisSeatRecords(link, node.id(), settings);
        explainer = new Explainer(store, scan, records, nodes, loop);
        RedisPeers peers = new RedisPeers(link, feed, node.id());
        peers.answerBy(new LocalPeer(presence, store, node.id(), loop));
        auditor = new Auditor(new Auditor.Parts(store, scan, records, nodes, peers, sweeper, loop, settings), clock);
        RedisHistoryLog historyLog = new RedisHistoryLog(link);
        history = new HistoryKeeper(
                historyLog,
                () -> Instruments.counted(metrics, statistics),
                () -> Gauges.take(userStore.online(), store, nodes),
                loop);
        overview = new Overview(nodes, new RedisRemovalLog(link), historyLog, loop);
        store.observe(metrics.observer());
        scan.observe(metrics.observer());
        nodes.observe(metrics.observer());
        sweeper.onSwept(report -> {
            metrics.swept(report);
            history.swept(report);
        });
        Instruments.redis(metrics, link, statistics);
        Instruments.audit(metrics, auditor);
        Instruments.presence(metrics, () -> Census.take(presence, loop));
    }

    void start() {
        await(link.open(), FIRST_LINK);
        await(lease.start(), FIRST_LINK);
        // A look at a room in which nobody is, so that the first client need not wait for classes and scripts to load.
        await(presence.list(new RoomId("~"), null, 1).thenAccept(listing -> {}), FIRST_LINK);
        sweeper.start();
        users.start();
        statistics.start(loop);
        history.start();
        gate.start(loop);
    }

    /** Adds every call of the HTTP API. */
    void serve(Api api) {
        RoomRoutes.add(api, rooms);
        ParticipantRoutes.add(api, presence, explainer, bans);
        BanRoutes.add(api, bans);
        ExplainRoutes.add(api, explainer);
        SettingsRoutes.add(api, rooms);
        MessageRoutes.add(api, users);
        UnreadRoutes.add(api, users);
        UserRoutes.add(api, users, disconnects);
        StatisticsRoutes.add(api, overview, rooms, users, InstantSource.system());
        HistoryRoutes.add(api, overview);
        NodeRoutes.add(api, overview);
        RedisRoutes.add(api, new RedisProbe(link)::look);
        AuditRoutes.add(api, auditor);
    }

    /** What keeps it from its work, in plain words; empty if nothing does. */
    Optional<String> trouble() {
        return link.trouble();
    }

    /** What lies in a part of Redis that is away, in plain words; empty if nothing does. */
    Optional<String> partlyAway() {
        return link.partlyAway();
    }

    /** How the last sweep went, null before the first. */
    @Nullable
    SweepReport lastSweep() {
        return sweeper.last();
    }

    /** To be called when every socket is gone: leaves what they held to the grace, and gives the lease up. */
    @Override
    public void close() {
        sweeper.stop();
        await(presence.disconnectAll(), LAST_WORDS);
        await(users.stop(), LAST_WORDS);
        statistics.flush();
        await(history.stop(), LAST_WORDS);
        await(lease.stop(), LAST_WORDS);
        link.close();
    }

    private static void await(CompletionStage<Void> stage, Duration most) {
        stage.toCompletableFuture()
                .copy()
                .orTimeout(most.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(late -> null)
                .join();
    }
}
