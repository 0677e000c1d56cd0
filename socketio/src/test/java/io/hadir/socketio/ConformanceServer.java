package io.hadir.socketio;

import io.hadir.socketio.engine.CloseReason;
import io.hadir.socketio.engine.Engine;
import io.hadir.socketio.engine.Frames;
import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionHandler;
import io.hadir.socketio.engine.TransportConfig;
import io.hadir.socketio.http.HttpServer;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Router;
import io.hadir.socketio.limit.Slots;
import io.hadir.socketio.support.Echo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import tools.jackson.databind.JsonNode;

/**
 * An echo server for the official protocol suites, stock clients and the benchmark: Socket.IO under
 * {@code /socket.io/}, plain Engine.IO under {@code /engine.io/}. The first argument is the port, 0 for any.
 */
public final class ConformanceServer implements AutoCloseable {
    private static final int MAX_SESSIONS = 100_000;

    private final HttpServer http;
    private final Engine engine;
    private final Engine echo;
    private final int port;

    public ConformanceServer(int port, TransportConfig config) throws IOException {
        Router router = new Router();
        http = new HttpServer(router, HttpServer.Timeouts.DEFAULT, slots(), Proxies.NONE, config.sendBufferBytes());
        SocketServer sockets = new SocketServer("conform", config, 0);
        Origins anywhere = new Origins(List.of("*"), true);
        engine = new Engine(config, anywhere, slots(), http.loops(), sockets::accept);
        echo = new Engine(config, anywhere, slots(), http.loops(), RawEcho::new);
        for (String name : List.of("/", "/custom")) {
            sockets.open(name, namespace -> new CountingEcho(engine, namespace));
        }
        router.mount("/socket.io/", engine.http()).mount("/engine.io/", echo.http());
        this.port = http.listen("127.0.0.1", port).getPort();
    }

    private static Slots slots() {
        return new Slots(MAX_SESSIONS, 0, 0, Integer.MAX_VALUE);
    }

    public static TransportConfig defaultConfig() {
        return new TransportConfig(
                Duration.ofMillis(Long.getLong("ping.interval", 300)),
                Duration.ofMillis(Long.getLong("ping.timeout", 200)),
                Integer.getInteger("max.payload", 1_000_000),
                Integer.getInteger("send.buffer", 1 << 20),
                Duration.ofMillis(Long.getLong("connect.timeout", 1_000)),
                Duration.ofSeconds(10));
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int port = arguments.length == 0 ? 0 : Integer.parseInt(arguments[0]);
        ConformanceServer server = new ConformanceServer(port, defaultConfig());
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        System.out.println("listening on " + server.port());
        Thread.currentThread().join();
    }

    public int port() {
        return port;
    }

    public Engine engine() {
        return engine;
    }

    @Override
    public void close() {
        http.stopListening();
        engine.close().join();
        echo.close().join();
        http.close();
    }

    /** What the official suite and the tests with stock clients expect beyond {@link Echo}. */
    private static final class CountingEcho extends Echo {
        private final Engine engine;
        private final LongAdder connected = new LongAdder();
        private final LongAdder disconnected = new LongAdder();

        CountingEcho(Engine engine, Namespace namespace) {
            super(namespace);
            this.engine = engine;
        }

        @Override
        public void connected(Socket socket) {
            connected.increment();
            socket.emit("auth", socket.attachment());
        }

        @Override
        public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
            switch (name) {
                case "ask" ->
                    socket.ask(Duration.ofSeconds(10), "question", arguments.toArray())
                            .thenAccept(answer -> socket.emit("answer", answer.toArray()));
                case "stats" ->
                    ack.send(Map.of(
                            "sessions", engine.sessions(),
                            "sockets", namespace().size(),
                            "listeners_connected", connected.sum(),
                            "listeners_disconnected", disconnected.sum()));
                default -> super.event(socket, name, arguments, ack);
            }
        }

        @Override
        public void disconnected(Socket socket, DisconnectReason reason) {
            disconnected.increment();
            super.disconnected(socket, reason);
        }
    }

    private record RawEcho(Session session) implements SessionHandler {
        @Override
        public void text(ByteBuf message) {
            ByteBuf copy = Frames.allocate(ByteBufAllocator.DEFAULT, 0, message.readableBytes());
            session.send(Frames.sealText(copy.writeBytes(message)));
        }

        @Override
        public void binary(ByteBuf message) {
            session.send(Frames.binary(ByteBufAllocator.DEFAULT, message.retain()));
        }

        @Override
        public void closed(CloseReason reason) {}
    }
}
