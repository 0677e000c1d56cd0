package io.hadir.server.trunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An app's end of a trunk. It answers pings, and keeps everything else that it hears. */
public final class AppTrunk implements WebSocket.Listener, AutoCloseable {
    public static final String KEY = "trunk-key-0123456789";
    public static final String FLAG = "--trunk-key=" + KEY;
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    private final Queue<JsonNode> heard = new ConcurrentLinkedQueue<>();
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final Map<String, Set<Long>> rooms = new ConcurrentHashMap<>();
    private final AtomicInteger numbers = new AtomicInteger();
    private final StringBuilder text = new StringBuilder();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final AtomicInteger frames = new AtomicInteger();
    private volatile boolean keeps = true;
    private volatile boolean reads = true;
    private final WebSocket socket;
    private CompletableFuture<?> sending = CompletableFuture.completedFuture(null);

    private AppTrunk(int port) {
        socket = HTTP.newWebSocketBuilder()
                .header("Authorization", "Bearer " + KEY)
                .buildAsync(URI.create("ws://127.0.0.1:" + port + "/trunk"), this)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
    }

    /** A trunk that has said nothing yet. */
    public static AppTrunk connect(int port) {
        return new AppTrunk(port);
    }

    /** A trunk that was welcomed. */
    public static AppTrunk hello(int port, String process, long epoch) {
        AppTrunk trunk = new AppTrunk(port);
        trunk.sayHello(process, epoch);
        trunk.heard("welcome");
        return trunk;
    }

    public void sayHello(String process, long epoch) {
        send("[\"hello\",{\"version\":1,\"process\":\"" + process + "\",\"epoch\":" + epoch + "}]");
    }

    /** Sends messages in one frame. */
    public void send(String... messages) {
        sendFrame("[" + String.join(",", messages) + "]");
    }

    public synchronized CompletableFuture<?> sendFrame(String frame) {
        sending = sending.handle((done, failed) -> null).thenCompose(done -> socket.sendText(frame, true));
        return sending;
    }

    /** Opens a socket of this user. */
    public AppTrunk open(long number, String user) {
        send("[\"open\"," + number + ",{\"userId\":\"" + user + "\"}]");
        return this;
    }

    /** Opens a socket that was in this room before. */
    public AppTrunk reopen(long number, String user, String room) {
        send("[\"open\"," + number + ",{\"userId\":\"" + user + "\",\"in\":[{\"roomId\":\"" + room + "\"}]}]");
        return this;
    }

    public AppTrunk gone(long number) {
        send("[\"gone\"," + number + ",\"closed\"]");
        rooms.values().forEach(members -> members.remove(number));
        return this;
    }

    public CompletableFuture<JsonNode> ask(long number, String event, String payload) {
        int a = numbers.incrementAndGet();
        CompletableFuture<JsonNode> answer = expect(a);
        send("[\"event\"," + number + "," + a + ",\"" + event + "\"," + payload + "]");
        return answer;
    }

    /** Reports a client that went while there was no trunk. */
    public JsonNode departed(String about) {
        int a = numbers.incrementAndGet();
        CompletableFuture<JsonNode> answer = expect(a);
        send("[\"departed\"," + a + "," + about + "]");
        return answer.join();
    }

    /** Completes with the answer to the event with this number. */
    public CompletableFuture<JsonNode> expect(int a) {
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        asked.put(a, answer);
        return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    public JsonNode join(long number, String room) {
        return ask(number, "join_room", room(room)).join();
    }

    public JsonNode heartbeat(long number, String room) {
        return ask(number, "room:heartbeat", room(room)).join();
    }

    /** The users that Hadir lists now. */
    public List<String> list(long number, String room) {
        return ask(number, "room:participants", room(room))
                .join()
                .path("participants")
                .valueStream()
                .map(participant -> participant.path("userId").asString())
                .toList();
    }

    public static String room(String room) {
        return "{\"roomId\":\"" + room + "\"}";
    }

    /** The first message of this type; waits for it. */
    public JsonNode heard(String type) {
        await("a message " + type).atMost(PATIENCE).until(() -> !all(type).isEmpty() || closed.isDone());
        assertThat(all(type)).as("%s in %s", type, heard).isNotEmpty();
        return all(type).get(0);
    }

    public List<JsonNode> all(String type) {
        return heard.stream()
                .filter(message -> message.path(0).asString("").equals(type))
                .toList();
    }

    /** The payloads of this event to this socket, in order. */
    public List<JsonNode> emitted(long number, String event) {
        List<JsonNode> found = new ArrayList<>();
        for (JsonNode emit : all("emit")) {
            boolean mine = emit.path(1).valueStream().anyMatch(one -> one.asLong() == number);
            if (mine && emit.path(2).asString().equals(event)) {
                found.add(emit.path(3));
            }
        }
        return found;
    }

    /** Who came ("+") and went ("-") in the room, with the reason, as told once for all sockets, in order. */
    public List<String> changes(String room) {
        List<String> changes = new ArrayList<>();
        for (JsonNode message : all("room")) {
            if (message.path(1).asString().equals(room)) {
                message.path(3)
                        .path("joined")
                        .forEach(one -> changes.add("+" + one.path("userId").asString()));
                message.path(3)
                        .path("left")
                        .forEach(one -> changes.add("-" + one.path("userId").asString() + " "
                                + one.path("reason").asString()));
            }
        }
        return changes;
    }

    /** The numbers of the sockets in the room's group. */
    public Set<Long> members(String room) {
        return new TreeSet<>(rooms.getOrDefault(room, Set.of()));
    }

    /** The number of frames so far. */
    public int frames() {
        return frames.get();
    }

    /** Forgets what was heard. */
    public AppTrunk forget() {
        heard.clear();
        return this;
    }

    /** From now on it keeps nothing, because there will be much. */
    public AppTrunk keepNothing() {
        keeps = false;
        return this;
    }

    /** Reads nothing more, like an app that hangs. */
    public void hang() {
        reads = false;
    }

    public void wake() {
        reads = true;
        socket.request(1);
    }

    /** The code with which the server closed the trunk, 1006 for none; waits for it. */
    public int closeCode() {
        return closed.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
    }

    public boolean isClosed() {
        return closed.isDone();
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
            frames.incrementAndGet();
            JSON.readTree(text.toString()).forEach(this::take);
            text.setLength(0);
        }
        if (reads) {
            webSocket.request(1);
        }
        return null;
    }

    private void take(JsonNode message) {
        switch (message.path(0).asString()) {
            case "ping" -> send("[\"pong\"]");
            case "ack" -> {
                CompletableFuture<JsonNode> answer =
                        asked.remove(message.path(1).asInt());
                if (answer != null) {
                    answer.complete(message.path(2));
                }
            }
            case "enter" -> {
                group(message).add(message.path(1).asLong());
                keep(message);
            }
            case "exit" -> {
                group(message).remove(message.path(1).asLong());
                keep(message);
            }
            default -> keep(message);
        }
    }

    private Set<Long> group(JsonNode message) {
        return rooms.computeIfAbsent(message.path(2).asString(), room -> ConcurrentHashMap.newKeySet());
    }

    private void keep(JsonNode message) {
        if (keeps) {
            heard.add(message);
        }
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
        closed.complete(statusCode);
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        closed.complete(1006);
    }

    /** Cuts the connection without a close frame, as if the process had died. */
    @Override
    public void close() {
        socket.abort();
        closed.complete(1006);
    }
}
