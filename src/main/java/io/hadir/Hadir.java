package io.hadir;

import io.hadir.config.Config;
import io.hadir.engineio.Engine;
import io.hadir.http.HealthRoutes;
import io.hadir.http.HttpServer;
import io.hadir.http.HttpTimeouts;
import io.hadir.http.Origins;
import io.hadir.http.Router;
import io.hadir.http.StaticFile;
import io.hadir.limit.ConnectionLimit;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.UnknownEvents;
import io.netty.handler.codec.http.HttpMethod;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A running server: the one place that wires everything. */
final class Hadir implements AutoCloseable {
    private static final String NODE_ID_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";
    private static final int NODE_ID_LENGTH = 10;
    private static final long CLOSE_SECONDS = 5;

    private final HttpServer http;
    private final Engine engine;
    private final InetSocketAddress address;

    private Hadir(HttpServer http, Engine engine, InetSocketAddress address) {
        this.http = http;
        this.engine = engine;
        this.address = address;
    }

    /** Starts a server, or throws what kept it from starting. */
    static Hadir start(Config config) throws IOException {
        Router router = new Router();
        ConnectionLimit connections = new ConnectionLimit(
                config.limits().maxConnections(), config.limits().connectionsPerAddress());
        HttpServer http = new HttpServer(
                router, HttpTimeouts.DEFAULT, connections, config.transport().sendBufferBytes());

        SocketServer sockets = new SocketServer(
                newNodeId(), config.transport(), config.limits().eventsPerSecond());
        sockets.open("/", namespace -> new UnknownEvents());
        Origins origins = new Origins(config.server().allowedOrigins(), true);
        Engine engine = new Engine(
                config.transport(), origins, config.limits().maxConnections(), http.loops(), sockets::accept);

        router.mount("/socket.io/", engine.http());
        router.route(HttpMethod.GET, "/", new StaticFile("welcome.html", "text/html; charset=utf-8"));
        router.route(HttpMethod.GET, "/welcome.css", new StaticFile("welcome.css", "text/css; charset=utf-8"));
        HealthRoutes.add(router, Optional::empty);
        try {
            InetSocketAddress address =
                    http.listen(config.server().host(), config.server().port());
            return new Hadir(http, engine, address);
        } catch (IOException e) {
            http.close();
            throw e;
        }
    }

    /** Letters that nobody confuses, so that an id can be read out over the telephone. */
    private static String newNodeId() {
        SecureRandom random = new SecureRandom();
        StringBuilder id = new StringBuilder(NODE_ID_LENGTH);
        for (int i = 0; i < NODE_ID_LENGTH; i++) {
            id.append(NODE_ID_LETTERS.charAt(random.nextInt(NODE_ID_LETTERS.length())));
        }
        return id.toString();
    }

    /** Where it listens. */
    InetSocketAddress address() {
        return address;
    }

    /** Accepts nobody any more, lets every client go so that it comes back to another node, and ends. */
    @Override
    public void close() {
        http.stopListening();
        engine.close()
                .orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS)
                .exceptionally(late -> null)
                .join();
        http.close();
    }
}
