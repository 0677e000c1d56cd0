package io.hadir.redis;

import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** The connections that messages come by: a line to each part. They are made and ended on the link's thread. */
final class Listening {
    private final RedisConnections connections;
    private final Line.Events<StatefulRedisPubSubConnection<String, String>> health;
    private final ScheduledExecutorService thread;
    private final Map<String, Line<StatefulRedisPubSubConnection<String, String>>> lines = new ConcurrentHashMap<>();
    private final Map<String, String> deaf = new ConcurrentHashMap<>();
    private volatile Listener listener = new Listener() {};

    /** Who listens; called on the link's thread. */
    interface Listener {
        /** There is a new connection. */
        default void up(StatefulRedisPubSubConnection<String, String> connection) {}

        /** What is heard by which connection may have changed. */
        default void moved() {}
    }

    /**
     * Lines that are not open yet.
     *
     * @param health hears of the one line to a Redis that is no cluster; in a cluster parts are watched for themselves
     */
    Listening(
            RedisConnections connections,
            Line.Events<StatefulRedisPubSubConnection<String, String>> health,
            ScheduledExecutorService thread) {
        this.connections = connections;
        this.health = health;
        this.thread = thread;
    }

    /** Who listens; set once, before the link is opened. */
    void listen(Listener newListener) {
        listener = newListener;
    }

    /** Opens a line to every part; completes when there is one that can be heard. */
    CompletionStage<Void> open() {
        settle();
        return CompletableFuture.anyOf(
                        lines.values().stream().map(Line::firstUp).toArray(CompletableFuture[]::new))
                .thenAccept(first -> {});
    }

    /** Opens lines to new parts, and ends those to parts that are no more. */
    void settle() {
        Set<String> wanted = new HashSet<>();
        for (Part part : connections.parts()) {
            wanted.add(part.address());
            lines.computeIfAbsent(part.address(), address -> {
                Line<StatefulRedisPubSubConnection<String, String>> line = line(part);
                line.open();
                return line;
            });
        }
        for (String address : Set.copyOf(lines.keySet())) {
            if (!wanted.contains(address)) {
                Objects.requireNonNull(lines.remove(address)).end();
                deaf.remove(address);
            }
        }
        listener.moved();
    }

    private Line<StatefulRedisPubSubConnection<String, String>> line(Part part) {
        Line.Events<StatefulRedisPubSubConnection<String, String>> events = new Line.Events<>() {
            @Override
            public void up(StatefulRedisPubSubConnection<String, String> connection) {
                deaf.remove(part.address());
                health.up(connection);
                listener.up(connection);
            }

            @Override
            public void down(@Nullable Throwable cause) {
                deaf.put(part.address(), Trouble.inWords(cause));
                if (part.equals(Part.WHOLE)) {
                    health.down(cause);
                }
                listener.moved();
            }
        };
        return new Line<>(
                true,
                () -> connections.connectPubSub(part),
                connection -> connection.async().ping(),
                connection -> connection.async().ping(),
                events,
                thread);
    }

    /** What keeps the messages of a part from coming, in plain words; null if nothing does. */
    @Nullable
    String trouble(Part part) {
        return deaf.get(part.address());
    }

    /** The connection by which the messages of a sharded channel come, null if there is none now. */
    @Nullable
    StatefulRedisPubSubConnection<String, String> by(String channel) {
        Part part = connections.partOf(channel);
        Line<StatefulRedisPubSubConnection<String, String>> line = part == null ? null : lines.get(part.address());
        return line == null ? null : line.current();
    }

    /** A connection for channels that are heard by any, the same as before if it is still there; null if there is none. */
    @Nullable
    StatefulRedisPubSubConnection<String, String> byAny(
            @Nullable StatefulRedisPubSubConnection<String, String> before) {
        StatefulRedisPubSubConnection<String, String> found = null;
        for (Line<StatefulRedisPubSubConnection<String, String>> line : lines.values()) {
            StatefulRedisPubSubConnection<String, String> current = line.current();
            if (current != null && current == before) {
                return before;
            }
            found = Optional.ofNullable(found).orElse(current);
        }
        return found;
    }
}
