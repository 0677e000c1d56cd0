package io.hadir.server.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A user with one socket. It never blocks and keeps little, so a test can have thousands. */
public final class Guest implements WebSocket.Listener, AutoCloseable {
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int TRIES = 10;
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final ExecutorService THREADS = Executors.newFixedThreadPool(4, task -> {
        Thread thread = new Thread(task, "guests");
        thread.setDaemon(true);
        return thread;
    });
    private static final HttpClient HTTP =
            HttpClient.newBuilder().executor(THREADS).build();

    public final String user;
    private final StringBuilder text = new StringBuilder();
    private final Queue<String> told = new ConcurrentLinkedQueue<>();
    private final Queue<String> forceLeaves = new ConcurrentLinkedQueue<>();
    private final AtomicInteger news = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
    private final AtomicInteger ids = new AtomicInteger();
    private final CompletableFuture<Guest> connected = new CompletableFuture<>();
    private volatile @Nullable WebSocket socket;
    private volatile boolean watching = true;
    private volatile Consumer<String> listener = packet -> {};
    private long revision = -1;
    private long viewerCount = -1;
    private volatile boolean gone;
    /** The WebSocket allows one send at a time. */
    private CompletableFuture<?> sending = CompletableFuture.completedFuture(null);

    private Guest(String user) {
        this.user = user;
    }

    static CompletableFuture<Guest> open(int port, String user) {
        Guest guest = new Guest(user);
        HTTP.newWebSocketBuilder()
                .buildAsync(URI.create("ws://127.0.0.1:" + port + "/socket.io/?EIO=4&transport=websocket"), guest)
                .whenComplete((made, failed) -> {
                    if (failed != null) {
                        guest.connected.completeExceptionally(failed);
                    }
                });
        return guest.connected.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    public static Guest connect(int port, String user) {
        return open(port, user).join();
    }

    /** Connects a guest and joins the room. */
    static Guest join(int port, String user, String room) {
        return connect(port, user).comeIn(room, TRIES).join();
    }

    /** Connects this many users, numbered from 0, and joins the room; they do not record messages. */
    static List<Guest> crowd(int port, String name, int count, String room) {
        List<CompletableFuture<Guest>> joining = IntStream.range(0, count)
                .mapToObj(i -> open(port, name + i).thenCompose(guest -> {
                    guest.watching = false;
                    return guest.comeIn(room, TRIES);
                }))
                .toList();
        return joining.stream().map(CompletableFuture::join).toList();
    }

    /** Joins, and retries when told to. */
    public CompletableFuture<Guest> comeIn(String room, int tries) {
        return patiently(() -> ask("join_room", room), tries).thenApply(joined -> this);
    }

    /** Asks as a well-behaved client does: it retries after {@code retryAfterMs} while presence is unavailable. */
    private CompletableFuture<JsonNode> patiently(Supplier<CompletableFuture<JsonNode>> question, int tries) {
        return question.get().thenCompose(answer -> {
            if (answer.path("ok").asBoolean()) {
                return CompletableFuture.completedFuture(answer);
            }
            JsonNode error = answer.path("error");
            if (!error.path("code").asString().equals("presence_unavailable") || tries == 1) {
                throw new AssertionError(user + " was refused: " + answer);
            }
            long told = error.path("retryAfterMs").asLong();
            long wait = told + ThreadLocalRandom.current().nextLong(told / 2);
            return CompletableFuture.supplyAsync(
                            () -> patiently(question, tries - 1),
                            CompletableFuture.delayedExecutor(wait, TimeUnit.MILLISECONDS, THREADS))
                    .thenCompose(next -> next);
        });
    }

    JsonNode join(String room) {
        return ask("join_room", room).join();
    }

    public JsonNode heartbeat(String room) {
        return ask("room:heartbeat", room).join();
    }

    /** The users that the server lists now, at most 1,000. */
    public List<String> list(String room) {
        String asked = "{\"roomId\":\"" + room + "\",\"limit\":1000}";
        return patiently(() -> send("room:participants", asked), TRIES)
                .join()
                .path("participants")
                .valueStream()
                .map(participant -> participant.path("userId").asString())
                .toList();
    }

    /** Sends an event about a room and completes with its answer. */
    CompletableFuture<JsonNode> ask(String event, String room) {
        return send(event, "{\"roomId\":\"" + room + "\"}");
    }

    CompletableFuture<JsonNode> send(String event, String payload) {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonNode> answer = new CompletableFuture<>();
        asked.put(id, answer);
        send("42" + id + "[\"" + event + "\"," + payload + "]");
        return answer.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** The users whose leaves this guest heard of, with the reasons, in order: {@code "adi left"}. */
    public List<String> left() {
        return changes("left")
                .map(left -> left.path("userId").asString() + " "
                        + left.path("reason").asString())
                .toList();
    }

    /** The users whose joins this guest heard of, in order. */
    public List<String> joined() {
        return changes("joined").map(joined -> joined.path("userId").asString()).toList();
    }

    /** The updates of users that this guest heard of, with the state, in order: {@code "adi away"}. */
    List<String> updated() {
        return changes("updated")
                .map(updated -> updated.path("userId").asString() + " "
                        + updated.path("state").asString())
                .toList();
    }

    private Stream<JsonNode> changes(String kind) {
        return told.stream()
                .flatMap(message -> JSON.readTree(message).path(1).path(kind).valueStream());
    }

    /** Passes on every {@code room:presence} as it arrives. */
    void listen(Consumer<JsonNode> heard) {
        listener = packet -> heard.accept(JSON.readTree(packet.substring(2)).path(1));
    }

    void keepNoList() {
        watching = false;
    }

    /** Waits until this many are present and no more messages arrive, and forgets their joins. */
    void settle(long count) {
        AtomicInteger before = new AtomicInteger(-1);
        await().pollInterval(Duration.ofSeconds(1)).until(() -> {
            int now = news();
            return before.getAndSet(now) == now && viewerCount() == count;
        });
        told.clear();
    }

    /** The reasons of {@code room:force-leave}, in order. */
    public List<String> forceLeaves() {
        return List.copyOf(forceLeaves);
    }

    /** How many {@code room:presence} have arrived. */
    int news() {
        return news.get();
    }

    /** The viewer count of the highest revision that this guest has heard of, -1 if none. */
    synchronized long viewerCount() {
        return viewerCount;
    }

    /** Reads revision and viewer count from a message or an answer without parsing the names in it. */
    private synchronized void count(String packet) {
        long newRevision = number(packet, "\"revision\":");
        if (newRevision > revision) {
            revision = newRevision;
            viewerCount = number(packet, "\"viewerCount\":");
        }
    }

    private static long number(String packet, String name) {
        int at = packet.indexOf(name);
        if (at < 0) {
            return -1;
        }
        int begin = at + name.length();
        int end = begin;
        while (Character.isDigit(packet.charAt(end))) {
            end++;
        }
        return Long.parseLong(packet.substring(begin, end));
    }

    /** Whether the connection is closed. */
    public boolean isGone() {
        return gone;
    }

    private synchronized void send(String packet) {
        WebSocket open = socket;
        if (open != null) {
            sending = sending.handle((done, failed) -> null).thenCompose(done -> open.sendText(packet, true));
        }
    }

    @Override
    public void onOpen(WebSocket webSocket) {
        socket = webSocket;
        send("40{\"userId\":\"" + user + "\"}");
        webSocket.request(1);
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket webSocket, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
            take(text.toString());
            text.setLength(0);
        }
        webSocket.request(1);
        return null;
    }

    private void take(String packet) {
        if (packet.equals("2")) {
            send("3");
        } else if (packet.startsWith("40")) {
            connected.complete(this);
        } else if (packet.startsWith("44")) {
            connected.completeExceptionally(new IllegalStateException("refused: " + packet));
        } else if (packet.startsWith("42[\"room:presence\"")) {
            news.incrementAndGet();
            count(packet);
            if (watching) {
                told.add(packet.substring(2));
            }
            listener.accept(packet);
        } else if (packet.startsWith("42[\"room:force-leave\"")) {
            forceLeaves.add(
                    JSON.readTree(packet.substring(2)).path(1).path("reason").asString());
        } else if (packet.startsWith("43")) {
            int begin = packet.indexOf('[');
            CompletableFuture<JsonNode> answer = asked.remove(Integer.parseInt(packet.substring(2, begin)));
            if (answer != null) {
                count(packet);
                answer.complete(JSON.readTree(packet.substring(begin)).path(0));
            }
        }
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
        end();
        return null;
    }

    @Override
    public void onError(WebSocket webSocket, Throwable error) {
        end();
    }

    private void end() {
        gone = true;
        asked.values()
                .forEach(answer -> answer.completeExceptionally(new IllegalStateException("the connection is over")));
    }

    /** Leaves the namespace, as a client does that is closed. */
    void sayGoodbye() {
        send("41");
    }

    /** Closes the connection without a disconnect packet. */
    @Override
    public void close() {
        WebSocket open = socket;
        if (open != null) {
            open.abort();
        }
        end();
    }

    /** Asserts that all are in room r, now and until after the next sweep and lease check. */
    static void assertNobodyIsRemoved(Guest... guests) {
        await().during(HadirProcess.LEASE).atMost(PATIENCE).until(() -> {
            for (Guest guest : guests) {
                if (guest.isGone() || !guest.forceLeaves().isEmpty()) {
                    throw new AssertionError(guest.user + " was removed: " + guest.forceLeaves());
                }
            }
            return true;
        });
        for (Guest guest : guests) {
            assertThat(guest.heartbeat("r").path("ok").asBoolean()).isTrue();
            assertThat(guest.list("r")).contains(guest.user);
        }
    }
}
