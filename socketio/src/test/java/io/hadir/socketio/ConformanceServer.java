package io.hadir.socketio;

import io.hadir.socketio.engine.CloseReason;
import io.hadir.socketio.engine.Engine;
import io.hadir.socketio.engine.Frames;
import io.hadir.socketio.engine.Session;
import io.hadir.socketio.engine.SessionHandler;
import io.hadir.socketio.engine.TransportConfig;
import io.hadir.socketio.http.HttpServer;
import io.hadir.socketio.http.HttpTimeouts;
import io.hadir.socketio.http.Origins;
import io.hadir.socketio.http.Proxies;
import io.hadir.socketio.http.Router;
import io.hadir.socketio.limit.Places;
import io.hadir.socketio.support.Echo;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.LongAdder;
import tools.jackson.databind.JsonNode;

/**
 * An echo for the official protocol suites, for stock clients and for the benchmark: Socket.IO under
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
        http = new HttpServer(router, HttpTimeouts.DEFAULT, places(), Proxies.NONE, config.sendBufferBytes());
        SocketServer sockets = new SocketServer("conform", config, 0);
        Origins anywhere = new Origins(List.of("*"), true);
        engine = new Engine(config, anywhere, places(), http.loops(), sockets::accept);
        echo = new Engine(config, anywhere, places(), http.loops(), RawEcho::new);
        for (String name : List.of("/", "/custom")) {
            sockets.open(name, namespace -> new Echo(engine, namespace));
        }
        router.mount("/socket.io/", engine.http()).mount("/engine.io/", echo.http());
        this.port = http.listen("127.0.0.1", port).getPort();
    }

    private static Places places() {
        return new Places(MAX_SESSIONS, 0, 0, Integer.MAX_VALUE);
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

    /** What the official suite and the tests with stock clients expect. */
    private static final class Echo implements SocketListener {
        private final Engine engine;
        private final LongAdder connected = new LongAdder();
        private final LongAdder disconnected = new LongAdder();
        private final Namespace namespace;

        Echo(Engine engine, Namespace namespace) {
            this.engine = engine;
            this.namespace = namespace;
        }

        @Override
        public CompletionStage<Admission> connecting(Handshake handshake) {
            JsonNode refuse = handshake.auth().path("refuse");
            return CompletableFuture.completedFuture(
                    refuse.isString() ? Admission.refused(refuse.stringValue()) : Admission.ACCEPTED);
        }

        @Override
        public void connected(Socket socket) {
            connected.increment();
            socket.emit("auth", socket.handshake().auth());
        }

        @Override
        public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
            Object[] all = arguments.toArray();
            switch (name) {
                case "message" -> socket.emit("message-back", all);
                case "message-with-ack" -> ack.send(all);
                case "kick" -> socket.disconnect();
                case "drop" -> socket.close();
                case "ask" ->
                    socket.ask(Duration.ofSeconds(10), "question", all)
                            .thenAccept(answer -> socket.emit("answer", answer.toArray()));
                case "flood" -> {
                    for (int i = 0; i < arguments.get(0).intValue(); i++) {
                        socket.emit("numbered", i);
                    }
                }
                case "enter" -> {
                    socket.join(arguments.get(0).stringValue());
                    ack.send();
                }
                case "exit" -> {
                    socket.leave(arguments.get(0).stringValue());
                    ack.send();
                }
                case "shout" ->
                    namespace.broadcast(
                            arguments.get(0).stringValue(),
                            "heard",
                            arguments.subList(1, arguments.size()).toArray());
                case "fail" -> throw new IllegalStateException("as asked");
                case "stats" ->
                    ack.send(Map.of(
                            "sessions", engine.sessions(),
                            "sockets", namespace.size(),
                            "listeners_connected", connected.sum(),
                            "listeners_disconnected", disconnected.sum()));
                default -> {}
            }
        }

        @Override
        public void disconnected(Socket socket, DisconnectReason reason) {
            disconnected.increment();
            namespace.broadcast("watch", "gone", socket.id(), reason.toString());
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
