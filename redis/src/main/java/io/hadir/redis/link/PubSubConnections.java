package io.hadir.redis.link;

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

/** The pub/sub connections: one to each master. They open and close on the link's thread. */
public final class PubSubConnections {
    private final RedisConnections connections;
    private final ReconnectingConnection.Events<StatefulRedisPubSubConnection<String, String>> health;
    private final ScheduledExecutorService thread;
    private final Map<String, ReconnectingConnection<StatefulRedisPubSubConnection<String, String>>> connected =
            new ConcurrentHashMap<>();
    private final Map<String, String> troubles = new ConcurrentHashMap<>();
    private volatile Listener listener = new Listener() {};

    /** Hears about the connections; called on the link's thread. */
    public interface Listener {
        /** There is a new connection. */
        default void up(StatefulRedisPubSubConnection<String, String> connection) {}

        /** Channels may belong to other connections now. */
        default void moved() {}
    }

    /**
     * Connections that are not open yet.
     *
     * @param health hears about the connection to a single Redis; {@link MasterHealth} watches the masters of a cluster
     */
    PubSubConnections(
            RedisConnections connections,
            ReconnectingConnection.Events<StatefulRedisPubSubConnection<String, String>> health,
            ScheduledExecutorService thread) {
        this.connections = connections;
        this.health = health;
        this.thread = thread;
    }

    /** Sets the listener; called once, before the link opens. */
    public void listen(Listener newListener) {
        listener = newListener;
    }

    /** Opens a connection to every master; completes with the first that is up. */
    CompletionStage<Void> open() {
        settle();
        return CompletableFuture.anyOf(connected.values().stream()
                        .map(ReconnectingConnection::firstUp)
                        .toArray(CompletableFuture[]::new))
                .thenAccept(first -> {});
    }

    /** Opens connections to new masters and closes those to former ones. */
    void settle() {
        Set<String> wanted = new HashSet<>();
        for (Master master : connections.masters()) {
            wanted.add(master.address());
            connected.computeIfAbsent(master.address(), address -> {
                ReconnectingConnection<StatefulRedisPubSubConnection<String, String>> connection = create(master);
                connection.open();
                return connection;
            });
        }
        for (String address : Set.copyOf(connected.keySet())) {
            if (!wanted.contains(address)) {
                Objects.requireNonNull(connected.remove(address)).end();
                troubles.remove(address);
            }
        }
        listener.moved();
    }

    private ReconnectingConnection<StatefulRedisPubSubConnection<String, String>> create(Master master) {
        ReconnectingConnection.Events<StatefulRedisPubSubConnection<String, String>> events =
                new ReconnectingConnection.Events<>() {
                    @Override
                    public void up(StatefulRedisPubSubConnection<String, String> connection) {
                        troubles.remove(master.address());
                        health.up(connection);
                        listener.up(connection);
                    }

                    @Override
                    public void down(@Nullable Throwable cause) {
                        troubles.put(master.address(), RedisErrorText.inWords(cause));
                        if (master.equals(Master.WHOLE)) {
                            health.down(cause);
                        }
                        listener.moved();
                    }
                };
        return new ReconnectingConnection<>(
                true,
                () -> connections.connectPubSub(master),
                connection -> connection.async().ping(),
                connection -> connection.async().ping(),
                events,
                thread);
    }

    /** Why no messages arrive from this master, in plain words; null if they do. */
    @Nullable
    String trouble(Master master) {
        return troubles.get(master.address());
    }

    /** The connection for a sharded channel; null if there is none now. */
    @Nullable
    public StatefulRedisPubSubConnection<String, String> forSharded(String channel) {
        Master master = connections.masterOf(channel);
        ReconnectingConnection<StatefulRedisPubSubConnection<String, String>> connection =
                master == null ? null : connected.get(master.address());
        return connection == null ? null : connection.current();
    }

    /** A connection for ordinary channels: the one used before if it is still up; null if there is none. */
    @Nullable
    public StatefulRedisPubSubConnection<String, String> forPlain(
            @Nullable StatefulRedisPubSubConnection<String, String> before) {
        StatefulRedisPubSubConnection<String, String> found = null;
        for (ReconnectingConnection<StatefulRedisPubSubConnection<String, String>> connection : connected.values()) {
            StatefulRedisPubSubConnection<String, String> current = connection.current();
            if (current != null && current == before) {
                return before;
            }
            found = Optional.ofNullable(found).orElse(current);
        }
        return found;
    }
}
