package io.hadir.server.events;

import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.node.Node;
import io.hadir.presence.node.Ports;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.sweep.LeaseKeeper;
import io.hadir.presence.sweep.Sweeper;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.Users;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.node.RedisPorts;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.server.auth.Tokens;
import io.hadir.server.limit.Buckets;
import io.hadir.server.wire.Texts;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.engine.Engine;
import io.hadir.socketio.engine.TransportConfig;
import io.hadir.socketio.http.HttpServer;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Router;
import io.hadir.socketio.limit.Slots;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A whole node in this process, on a given Redis. */
final class PresenceServer implements AutoCloseable {
    private final HttpServer http;
    private final Engine engine;
    private final RedisLink link;
    final Sweeper sweeper;
    final Users users;
    final int port;

    /** In open mode. */
    PresenceServer(String redisUrl, String nodeId, PresenceSettings settings) throws IOException {
        this(redisUrl, nodeId, settings, null, InstantSource.system());
    }

    /**
     * Starts a node.
     *
     * @param tokens null for open mode
     */
    PresenceServer(
            String redisUrl,
            String nodeId,
            PresenceSettings settings,
            @Nullable Tokens tokens,
            InstantSource tokenClock)
            throws IOException {
        TransportConfig transport = new TransportConfig(
                Duration.ofSeconds(25),
                Duration.ofSeconds(20),
                100_000,
                1 << 20,
                Duration.ofSeconds(5),
                Duration.ofSeconds(5));
        Router router = new Router();
        http = new HttpServer(router, HttpServer.Timeouts.DEFAULT, places(), Proxies.NONE, transport.sendBufferBytes());
        SocketServer sockets = new SocketServer(nodeId, transport, 0);

        link = new RedisLink(RedisAddress.parse(redisUrl));
        Loop loop = link.loop();
        InstantSource clock = InstantSource.system();
        RemovalStatistics statistics = new RemovalStatistics(link, clock);
        UserSettings userSettings = UserSettings.of(settings.grace(), 20);
        Ports ports =
                RedisPorts.of(link, nodeId, () -> "{}", statistics, settings, userSettings, PresenceObserver.UNSEEN);
        Gate gate = new Gate(tokens, tokenClock);
        PresenceEvents events = sockets.open("/", namespace -> {
            PresenceSockets local = new PresenceSockets(List.of(Sockets.of(namespace)), settings, Texts.STANDARD);
            Node node = new Node(ports, local, clock, settings, userSettings);
            return new PresenceEvents(node, gate, new Buckets<>(0, 0), settings);
        });
        Node node = events.node();
        users = node.users();
        LeaseKeeper lease = node.lease();
        sweeper = node.sweeper();
        link.open();
        await().until(link::isUp);
        lease.start().toCompletableFuture().orTimeout(5, TimeUnit.SECONDS).join();
        sweeper.start();
        users.start();
        gate.start(loop);

        engine = new Engine(transport, new Origins(List.of("*"), true), places(), http.loops(), sockets::accept);
        router.mount("/socket.io/", engine.http());
        port = http.listen("127.0.0.1", 0).getPort();
    }

    private static Slots places() {
        return new Slots(1000, 0, 0, Integer.MAX_VALUE);
    }

    @Override
    public void close() {
        http.stopListening();
        engine.close()
                .orTimeout(5, TimeUnit.SECONDS)
                .exceptionally(late -> null)
                .join();
        http.close();
        link.close();
    }
}
