package io.hadir.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import io.hadir.embedded.EmbeddedRedis;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisUrl;
import io.hadir.server.auth.ApiKeys;
import io.hadir.server.auth.Tokens;
import io.hadir.server.config.Config;
import io.hadir.server.http.ApiGuard;
import io.hadir.server.http.HealthRoutes;
import io.hadir.server.http.MetricsRoute;
import io.hadir.server.http.StaticFiles;
import io.hadir.server.metrics.Metrics;
import io.hadir.server.trunk.TrunkGuard;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.engine.Engine;
import io.hadir.socketio.http.HttpServer;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Router;
import io.hadir.socketio.limit.Slots;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running node: the one place that wires everything, starts it and ends it in order. */
final class Hadir implements AutoCloseable {
    private static final long CLOSE_SECONDS = 5;

    /** Connections kept for health checks when all others are taken. */
    private static final int SPARE_CONNECTIONS = 16;

    private final @Nullable EmbeddedRedis embedded;
    private final Router router;
    private final Router admin;
    private final ApiGuard guard;
    private final @Nullable TrunkGuard trunkGuard;
    private final HttpServer http;
    private final @Nullable Tokens tokens;
    private final Metrics metrics;
    private final PresenceNode presence;
    private final Engine engine;
    private final String redis;
    private final String nodeId;
    private InetSocketAddress address = new InetSocketAddress(0);
    private InetSocketAddress adminAddress = address;

    /** @param starting the bundled Redis, which starts meanwhile; null if Redis is elsewhere */
    private Hadir(Config config, @Nullable CompletableFuture<EmbeddedRedis> starting, String version)
            throws IOException {
        NodeInfo node =
                NodeInfo.create(version, config.server().host(), config.server().port());
        nodeId = node.id();
        metrics = new Metrics(
                version, config.presence().grace(), config.presence().lease());
        router = new Router();
        admin = config.server().admin() == null ? router : new Router();
        Config.Limits limits = config.limits();
        Slots connections = new Slots(
                Descriptors.connections(limits.maxConnections()),
                SPARE_CONNECTIONS,
                limits.connectionsPerAddress(),
                Integer.MAX_VALUE);
        Slots sessions =
                new Slots(limits.maxConnections(), 0, limits.connectionsPerAddress(), limits.strangersPerAddress());
        Proxies proxies = new Proxies(config.server().trustedProxies()::contains);
        http = new HttpServer(
                router,
                HttpServer.Timeouts.DEFAULT,
                connections,
                proxies,
                config.transport().sendBufferBytes());

        SocketServer sockets = new SocketServer(node.id(), config.transport(), limits.eventsPerSecond());
        tokens = config.auth().isOpen() ? null : Tokens.of(config.auth(), InstantSource.system());
        embedded = starting == null ? null : await(starting);
        String redisUrl =
                embedded == null ? Objects.requireNonNull(config.redis().url()) : embedded.url();
        redis = embedded == null
                ? RedisUrl.withoutPassword(redisUrl)
                : describe(embedded, config.auth().isOpen());
        presence = new PresenceNode(
                RedisAddress.parse(
                        redisUrl, config.redis().tls(), config.redis().prefix()),
                config.redis().adopt(),
                config.presence(),
                config.texts(),
                limits,
                node,
                sockets,
                config.transport().maxPayloadBytes(),
                tokens,
                config.auth().revocation(),
                metrics,
                http.loops().next());
        // Connects while the rest is wired.
        presence.open();
        boolean open = config.auth().isOpen();
        Origins origins = new Origins(
                config.server().allowedOrigins(), open, open && !config.server().insecure());
        engine = new Engine(config.transport(), origins, sessions, http.loops(), sockets::accept);

        Instruments.tokens(metrics, tokens);
        Instruments.transport(metrics, connections, engine, sockets);
        metrics.counter("hadir.log.lines.dropped", "Log lines dropped because nobody read them", Console::dropped);
        LimitLog.of(connections, engine, sockets).start(http.loops());

        guard = new ApiGuard(ApiKeys.of(config.api()), config.server().insecure(), proxies);
        Instruments.api(metrics, guard);
        router.mount(config.server().path(), engine.http());
        String trunkKey = config.trunk().key();
        trunkGuard = trunkKey == null ? null : new TrunkGuard(trunkKey, proxies);
        Instruments.trunks(metrics, presence.trunks(), trunkGuard);
        if (trunkGuard != null) {
            router.guard("trunk", trunkGuard);
            router.route(HttpMethod.GET, "/trunk", presence.trunks()::accept);
        }
        admin.guard("api", guard);
        admin.guard("metrics", guard.with(ApiKeys.Right.METRICS));
        admin.route(HttpMethod.GET, "/metrics", new MetricsRoute(metrics));
        addPages(config.server().pages(), origins, config.server().path());
        for (Router each : new LinkedHashSet<>(List.of(router, admin))) {
            HealthRoutes.add(each, guard.insiders(), this::trouble, presence::partlyAway, presence::lastSweep);
            StaticFiles.addApiDescription(each);
        }
        presence.serve(admin, guard);
    }

    private void addPages(Config.Pages pages, Origins origins, String socketPath) {
        boolean together = admin == router;
        boolean all = pages == Config.Pages.ALL;
        if (pages != Config.Pages.NONE) {
            StaticFiles.addDashboard(
                    admin, origins, new StaticFiles.Site(together ? socketPath : null, together && all, true));
        }
        if (all) {
            StaticFiles.addRoomPage(router, origins, new StaticFiles.Site(socketPath, true, together));
        }
    }

    /** Takes the keys and the log level of a new configuration; the rest needs a restart. */
    void take(Config config) {
        guard.take(ApiKeys.of(config.api()));
        String trunkKey = config.trunk().key();
        if (trunkGuard != null && trunkKey != null) {
            trunkGuard.take(trunkKey);
        } else if ((trunkGuard == null) != (trunkKey == null)) {
            log().warn("Trunks stay {} until a restart", trunkGuard == null ? "off" : "on");
        }
        if (tokens != null && !config.auth().isOpen()) {
            tokens.take(config.auth());
        } else if ((tokens == null) != config.auth().isOpen()) {
            log().warn("Tokens stay {} until a restart", tokens == null ? "off" : "on");
        }
        ((LoggerContext) LoggerFactory.getILoggerFactory())
                .getLogger("io.hadir")
                .setLevel(Level.toLevel(config.log().level()));
        log().info("Took the keys and the log level from the configuration; other settings need a restart");
    }

    /** Shows the password in open mode only: with tokens, the banner may end up in a log. */
    private static String describe(EmbeddedRedis redis, boolean open) {
        return open
                ? "embedded, ends with the server; look inside with\nredis-cli -u " + redis.url()
                : "embedded at " + redis.address() + ", ends with the server; its password is in\n" + redis.config();
    }

    /**
     * Starts a node, or throws what prevented it.
     *
     * @param foreign hears, after the start, that Redis has another program's presences; the node must end then
     */
    static Hadir start(Config config, String version, Consumer<String> foreign) throws IOException {
        Hadir hadir = new Hadir(config, config.redis().url() == null ? startRedis() : null, version);
        try {
            hadir.presence.start(foreign);
            hadir.address =
                    hadir.http.listen(config.server().host(), config.server().port());
            Config.Address admin = config.server().admin();
            hadir.adminAddress =
                    admin == null ? hadir.address : hadir.http.listen(hadir.admin, admin.host(), admin.port());
            hadir.started(config.server().host(), version);
            return hadir;
        } catch (IOException e) {
            hadir.close();
            throw e;
        }
    }

    /** Starts the bundled Redis on a thread of its own. */
    private static CompletableFuture<EmbeddedRedis> startRedis() {
        CompletableFuture<EmbeddedRedis> started = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        started.complete(EmbeddedRedis.start());
                    } catch (IOException | RuntimeException failed) {
                        started.completeExceptionally(failed);
                    }
                },
                "hadir-redis-start");
        thread.setDaemon(true);
        thread.start();
        return started;
    }

    private static EmbeddedRedis await(CompletableFuture<EmbeddedRedis> starting) throws IOException {
        try {
            return starting.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof IOException cause ? cause : new IOException(failed);
        }
    }

    /** Created late, because the first logger sets up logging, which can wait until Redis has begun to start. */
    private static Logger log() {
        return LoggerFactory.getLogger(Hadir.class);
    }

    private void started(String host, String version) {
        log().info(
                        "Hadir {} listens on {} as node {}, {}",
                        version,
                        Banner.authority(host, address.getPort()),
                        nodeId,
                        trouble().map(reason -> "not ready: " + reason).orElse("ready"));
    }

    private Optional<String> trouble() {
        return presence.trouble().or(() -> tokens == null ? Optional.empty() : tokens.trouble());
    }

    /** The address it listens on. */
    InetSocketAddress address() {
        return address;
    }

    /** The address of the API, the metrics and the dashboard. */
    InetSocketAddress adminAddress() {
        return adminAddress;
    }

    /** Every route as method and path. */
    List<String> routes() {
        return Stream.of(router, admin)
                .distinct()
                .flatMap(each -> each.routes().stream())
                .toList();
    }

    /** Where Redis is, as the banner shows it. */
    String redis() {
        return redis;
    }

    /**
     * Stops listening, closes every session so that clients reconnect to another node, and gives their presences the
     * grace period.
     */
    @Override
    public void close() {
        boolean wasStarted = address.getPort() != 0;
        if (wasStarted) {
            log().info("Stopping; open sessions: {}", engine.sessions());
        }
        http.stopListening();
        CompletableFuture.allOf(engine.close(), presence.trunks().close())
                .orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS)
                .exceptionally(late -> null)
                .join();
        presence.close();
        if (tokens != null) {
            tokens.close();
        }
        http.close();
        metrics.close();
        if (embedded != null) {
            embedded.close();
        }
        if (wasStarted) {
            log().info("Stopped");
        }
    }
}
