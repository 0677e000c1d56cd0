package io.hadir.testing;

import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A minimal Socket.IO client over a real WebSocket. It hides nothing that is on the wire. */
public final class WireClient implements WebSocket.Listener, AutoCloseable {
    private static final JsonMapper JSON = JsonMapper.shared();

    static {
        Awaitility.setDefaultPollDelay(Duration.ZERO);
        Awaitility.setDefaultPollInterval(Duration.ofMillis(5));
    }

    private final StringBuilder text = new StringBuilder();
    private final List<JsonNode> events = new CopyOnWriteArrayList<>();
    private final Map<Integer, JsonNode> acks = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final WebSocket socket;
    private CompletableFuture<?> sending = CompletableFuture.completedFuture(null);
    private volatile @Nullable JsonNode connected;
    private volatile @Nullable JsonNode refused;
    private volatile boolean disconnected;
    private volatile boolean closed;

    public WireClient(int port, String auth) {
        socket = HttpClient.newHttpClient()
                .newWebSocketBuilder()
                .buildAsync(URI.create("ws://127.0.0.1:" + port + "/socket.io/?EIO=4&transport=websocket"), this)
                .orTimeout(5, TimeUnit.SECONDS)
                .join();
        send("40" + auth);
        await().until(() -> connected != null || refused != null);
    }

    public String id() {
        JsonNode answer = connected;
        return answer == null ? "" : answer.path("sid").asString();
    }

    public @Nullable JsonNode refused() {
        return refused;
    }

    public boolean isDisconnected() {
        return disconnected;
    }

    /** Whether the connection has ended, with or without a Socket.IO packet. */
    public boolean isClosed() {
        return closed;
    }

    /** The payloads of all events with this name so far; does not remove them. */
    public List<JsonNode> all(String event) {
        return events.stream()
                .filter(heard -> isNamed(heard, event))
                .map(heard -> heard.get(1))
                .toList();
    }

    public void emit(String event, String payload) {
        send("42[\"" + event + "\"," + payload + "]");
    }

    /** Sends an event, with a payload or without one, and waits for its acknowledgement. */
    public JsonNode ask(String event, String... payload) {
        int id = ids.incrementAndGet();
        send("42" + id + "[\"" + event + "\"" + (payload.length == 0 ? "" : "," + payload[0]) + "]");
        await().until(() -> acks.containsKey(id));
        return Objects.requireNonNull(acks.remove(id)).get(0);
    }

    /** Waits for an event with this name, removes it, and returns its payload. */
    public JsonNode heard(String event) {
        await().alias(event).until(() -> events.stream().anyMatch(heard -> isNamed(heard, event)));
        JsonNode found = events.stream()
                .filter(heard -> isNamed(heard, event))
                .findFirst()
                .orElseThrow();
        events.remove(found);
        return found.get(1);
    }

    /** Whether {@link #heard} has taken every event so far. */
    public boolean heardNothingElse() {
        return events.isEmpty();
    }

    private static boolean isNamed(JsonNode heard, String event) {
        return heard.get(0).asString().equals(event);
    }

    private void send(String packet) {
        sendInTurn(packet).copy().orTimeout(5, TimeUnit.SECONDS).join();
    }

    /** The WebSocket accepts only one message at a time. */
    private synchronized CompletableFuture<?> sendInTurn(String packet) {
        sending = sending.handle((done, failed) -> null).thenCompose(done -> socket.sendText(packet, true));
        return sending;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
            receive(text.toString());
            text.setLength(0);
        }
        webSocket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int status, String reason) {
        closed = true;
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        closed = true;
    }

    private void receive(String packet) {
        if (packet.equals("2")) {
            var unused = sendInTurn("3");
        } else if (packet.startsWith("40")) {
            connected = JSON.readTree(packet.substring(2));
        } else if (packet.startsWith("44")) {
            refused = JSON.readTree(packet.substring(2));
        } else if (packet.startsWith("41")) {
            disconnected = true;
        } else if (packet.startsWith("42")) {
            events.add(JSON.readTree(packet.substring(2)));
        } else if (packet.startsWith("43")) {
            int begin = packet.indexOf('[');
            acks.put(Integer.parseInt(packet.substring(2, begin)), JSON.readTree(packet.substring(begin)));
        }
    }

    @Override
    public void close() {
        socket.abort();
    }
}
