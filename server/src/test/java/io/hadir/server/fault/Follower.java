package io.hadir.server.fault;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** A user who joins and leaves a room, and follows its participants by the revisions of the messages. */
final class Follower implements AutoCloseable {
    private static final Executor LATER = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);

    private final int port;
    private final String room;
    private volatile Guest guest;
    private final Set<String> users = new TreeSet<>();
    private final List<JsonNode> early = new ArrayList<>();
    private final List<String> left = new ArrayList<>();
    private long revision;
    private boolean complete;
    private boolean in;
    private int toldBefore;

    Follower(int port, String user, String room) {
        this.port = port;
        this.room = room;
        guest = Guest.connect(port, user);
        listen();
    }

    private void listen() {
        guest.keepNoList();
        guest.listen(this::hear);
    }

    String user() {
        return guest.user;
    }

    /** Joins, with a new connection if the last one is closed; returns whether the join was accepted. */
    boolean join() {
        if (guest.isGone()) {
            guest = Guest.connect(port, guest.user);
            listen();
        }
        forget();
        return joined(ask("join_room"));
    }

    /** Joins, and retries while presence is unavailable. */
    Follower comeIn() {
        await().atMost(Guest.PATIENCE).pollInterval(Duration.ofMillis(200)).until(this::join);
        return this;
    }

    /** The answer; empty if the connection closes before. */
    private JsonNode ask(String event) {
        return guest.ask(event, room)
                .exceptionally(over -> MissingNode.getInstance())
                .join();
    }

    private synchronized void forget() {
        complete = false;
        early.clear();
        toldBefore = guest.forceLeaves().size();
    }

    private synchronized boolean joined(JsonNode answer) {
        in = answer.path("ok").asBoolean();
        if (in) {
            begin(answer);
        }
        return in;
    }

    void leave() {
        synchronized (this) {
            in = false;
        }
        ask("leave_room");
    }

    /** Whether its join was accepted and it neither left nor got a force-leave. */
    synchronized boolean believesToBeIn() {
        return in && guest.forceLeaves().size() == toldBefore;
    }

    /** The reasons of this connection's force-leaves. */
    List<String> forceLeaves() {
        return guest.forceLeaves();
    }

    /** The participants that it sees; empty while it waits for a list. */
    synchronized Set<String> sees() {
        return complete ? new TreeSet<>(users) : Set.of();
    }

    /** The users whose leaves it heard of, in order. */
    synchronized List<String> left() {
        return List.copyOf(left);
    }

    /** The participants that its server lists now. */
    List<String> list() {
        return guest.list(room);
    }

    boolean heartbeat() {
        return ask("room:heartbeat").path("ok").asBoolean();
    }

    private synchronized void begin(JsonNode listing) {
        users.clear();
        listing.path("participants").forEach(one -> users.add(one.path("userId").asString()));
        revision = listing.path("revision").asLong();
        complete = true;
        List<JsonNode> waiting = List.copyOf(early);
        early.clear();
        waiting.forEach(this::hear);
    }

    private synchronized void hear(JsonNode message) {
        if (!complete) {
            early.add(message);
            return;
        }
        if (message.path("revision").asLong() <= revision) {
            return;
        }
        if (message.path("fromRevision").asLong() != revision
                || message.path("truncated").asBoolean()) {
            complete = false;
            early.add(message);
            LATER.execute(this::listAgain);
            return;
        }
        revision = message.path("revision").asLong();
        message.path("left").forEach(one -> leaves(one.path("userId").asString()));
        message.path("joined").forEach(one -> users.add(one.path("userId").asString()));
    }

    private void leaves(String user) {
        users.remove(user);
        left.add(user);
    }

    private void listAgain() {
        guest.send("room:participants", "{\"roomId\":\"" + room + "\",\"limit\":1000}")
                .whenComplete((answer, failed) -> {
                    if (failed == null && answer.path("ok").asBoolean()) {
                        begin(answer);
                    } else if (!guest.isGone()) {
                        LATER.execute(this::listAgain);
                    }
                });
    }

    @Override
    public void close() {
        guest.close();
    }
}
