package io.hadir.socketio.support;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.Namespace;
import io.hadir.socketio.SocketListener;
import io.hadir.socketio.SocketServer;
import io.hadir.socketio.engine.Engine;
import io.hadir.socketio.engine.TransportConfig;
import io.hadir.socketio.http.HttpServer;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Router;
import io.hadir.socketio.limit.Slots;
import io.hadir.testing.Logs;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.awaitility.Awaitility;

/**
 * A server on a free loopback port, with a {@link Recorder} in front of each namespace: {@code /} and {@code /custom}.
 * Closing it shuts the server down, then fails if the listener's contract was violated or a warning was logged.
 */
public final class TestServer implements AutoCloseable {
    public static final String PATH = "/socket.io/";

    private static final int SPARE = 4;

    static {
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(5));
    }

    /** The settings of a test server. By default it is patient and has no tight limits. */
    public static final class Setup {
        private Duration pingInterval = Duration.ofSeconds(25);
        private Duration pingTimeout = Duration.ofSeconds(20);
        private int maxPayload = 100_000;
        private int sendBuffer = 1 << 20;
        private Duration connectTimeout = Duration.ofSeconds(20);
        private Duration upgradeTimeout = Duration.ofSeconds(10);
        private HttpServer.Timeouts timeouts = HttpServer.Timeouts.DEFAULT;
        private int maxConnections = 10_000;
        private int connectionsPerAddress;
        private int maxSessions = 10_000;
        private int strangersPerAddress = 1_000;
        private int eventsPerSecond;
        private List<String> origins = List.of("*");
        private boolean troubles;
        private Function<Namespace, SocketListener> listener = Echo::new;
        private Consumer<Router> routes = router -> {};

        public Setup pings(Duration interval, Duration timeout) {
            pingInterval = interval;
            pingTimeout = timeout;
            return this;
        }

        public Setup maxPayload(int bytes) {
            maxPayload = bytes;
            return this;
        }

        public Setup sendBuffer(int bytes) {
            sendBuffer = bytes;
            return this;
        }

        public Setup connectTimeout(Duration time) {
            connectTimeout = time;
            return this;
        }

        public Setup upgradeTimeout(Duration time) {
            upgradeTimeout = time;
            return this;
        }

        public Setup timeouts(Duration head, Duration body, Duration idle) {
            timeouts = new HttpServer.Timeouts(head, body, idle);
            return this;
        }

        public Setup connections(int all, int perAddress) {
            maxConnections = all;
            connectionsPerAddress = perAddress;
            return this;
        }

        public Setup maxSessions(int most) {
            maxSessions = most;
            return this;
        }

        public Setup strangersPerAddress(int most) {
            strangersPerAddress = most;
            return this;
        }

        public Setup eventsPerSecond(int most) {
            eventsPerSecond = most;
            return this;
        }

        public Setup origins(String... allowed) {
            origins = List.of(allowed);
            return this;
        }

        public Setup listener(Function<Namespace, SocketListener> made) {
            listener = made;
            return this;
        }

        public Setup routes(Consumer<Router> added) {
            routes = added;
            return this;
        }

        /** Allows warnings and errors in the log, because the test provokes them. */
        public Setup expectTroubles() {
            troubles = true;
            return this;
        }

        public TestServer start() throws IOException {
            return new TestServer(this);
        }
    }

    private final Logs logs = Logs.listen();
    private final boolean troubles;
    private final HttpServer http;
    private final Slots connections;
    private final Slots sessions;
    private final Engine engine;
    private final AtomicReference<Namespace> main = new AtomicReference<>();
    private final AtomicReference<Recorder> recorder = new AtomicReference<>();
    private final AtomicReference<Recorder> custom = new AtomicReference<>();
    private final int port;
    private boolean shutDown;

    private TestServer(Setup setup) throws IOException {
        TransportConfig config = new TransportConfig(
                setup.pingInterval,
                setup.pingTimeout,
                setup.maxPayload,
                setup.sendBuffer,
                setup.connectTimeout,
                setup.upgradeTimeout);
        troubles = setup.troubles;
        Router router = new Router();
        connections = new Slots(setup.maxConnections, SPARE, setup.connectionsPerAddress, Integer.MAX_VALUE);
        http = new HttpServer(router, setup.timeouts, connections, Proxies.NONE, setup.sendBuffer);
        SocketServer sockets = new SocketServer("test", config, setup.eventsPerSecond);
        sessions = new Slots(setup.maxSessions, 0, 0, setup.strangersPerAddress);
        engine = new Engine(config, new Origins(setup.origins, false), sessions, http.loops(), sockets::accept);
        sockets.open("/", namespace -> {
            main.set(namespace);
            recorder.set(new Recorder(setup.listener.apply(namespace)));
            return recorder.get();
        });
        sockets.open("/custom", namespace -> {
            custom.set(new Recorder(setup.listener.apply(namespace)));
            return custom.get();
        });
        router.mount(PATH, engine.http());
        setup.routes.accept(router);
        port = http.listen("127.0.0.1", 0).getPort();
    }

    public static TestServer start() throws IOException {
        return new Setup().start();
    }

    public int port() {
        return port;
    }

    public Engine engine() {
        return engine;
    }

    public Slots connections() {
        return connections;
    }

    /** The slots of Engine.IO sessions. */
    public Slots sessions() {
        return sessions;
    }

    public Logs logs() {
        return logs;
    }

    /** The namespace {@code /}. */
    public Namespace namespace() {
        return main.get();
    }

    /** The recorder of the namespace {@code /}. */
    public Recorder heard() {
        return recorder.get();
    }

    /** The recorder of the namespace {@code /custom}. */
    public Recorder heardInCustom() {
        return custom.get();
    }

    public RawConnection connect() throws IOException {
        return new RawConnection(port);
    }

    /** Opens an Engine.IO session over WebSocket and reads the open packet. */
    public RawWebSocket webSocket() throws IOException {
        RawWebSocket socket = RawWebSocket.open(port, PATH + "?EIO=4&transport=websocket");
        socket.next();
        return socket;
    }

    /** Opens an Engine.IO session over polling. */
    public PollingClient polling() throws IOException {
        return new PollingClient(port, PATH);
    }

    /** Opens a WebSocket and connects to {@code /}. */
    public RawWebSocket connectedWebSocket() throws IOException {
        RawWebSocket socket = webSocket().send("40");
        assertThat(socket.text()).startsWith("40{\"sid\":");
        return socket;
    }

    /** Opens a polling session and connects to {@code /}. */
    public PollingClient connectedPolling() throws IOException {
        PollingClient client = polling();
        client.send("40");
        assertThat(client.packet()).startsWith("40{\"sid\":");
        return client;
    }

    /** Shuts down as at SIGTERM, without any checks. */
    public void shutDown() {
        if (shutDown) {
            return;
        }
        shutDown = true;
        http.stopListening();
        engine.close().orTimeout(10, TimeUnit.SECONDS).join();
        http.close();
    }

    @Override
    public void close() {
        shutDown();
        logs.close();
        assertThat(heard().violationsAtTheEnd()).isEmpty();
        assertThat(heardInCustom().violationsAtTheEnd()).isEmpty();
        if (!troubles) {
            assertThat(logs.troubles()).isEmpty();
        }
    }
}
