package io.hadir.redis;

import io.hadir.presence.PresenceUnavailableException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to Redis: a connection to write, one to read, one to listen.
 *
 * <p>Reading has its own because a Redis that has paused writes holds up everything behind the first write on a
 * connection. Commands are answered within the time that {@link RedisConnections} allows or fail with a {@link
 * PresenceUnavailableException}; nothing waits for Redis to come back, and nothing is sent twice.
 */
public final class RedisLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

    private final RedisConnections connections;
    private final ScheduledThreadPoolExecutor thread;
    private final Line<StatefulConnection<String, String>> writing;
    private final Line<StatefulConnection<String, String>> reading;
    private final Line<StatefulRedisPubSubConnection<String, String>> listening;
    private final boolean cluster;
    private volatile @Nullable String trouble = "Redis has not been reached yet";
    private volatile Line.Events<StatefulRedisPubSubConnection<String, String>> listener = new Line.Events<>() {};

    public RedisLink(RedisAddress address) {
        connections = RedisConnections.to(address);
        cluster = address.cluster();
        thread = newThread();
        writing = new Line<>(
                connections::connect,
                connection -> Greeting.check(connections.commands(connection)),
                connection -> connections.commands(connection).ping(),
                new Health(address.toString()),
                thread);
        reading = new Line<>(
                connections::connect,
                connection -> connections.commands(connection).ping(),
                connection -> connections.commands(connection).ping(),
                new Line.Events<>() {},
                thread);
        listening = new Line<>(
                connections::connectPubSub,
                connection -> connection.async().ping(),
                connection -> connection.async().ping(),
                new Forwarding(),
                thread);
    }

    private static ScheduledThreadPoolExecutor newThread() {
        ScheduledThreadPoolExecutor created = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "hadir-redis-link");
            thread.setDaemon(true);
            return thread;
        });
        // Connections that break after the end are nobody's business.
        created.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return created;
    }

    /** Begins to connect, and never stops trying; completes when Redis can be used for the first time. */
    public CompletionStage<Void> open() {
        writing.open();
        reading.open();
        listening.open();
        return CompletableFuture.allOf(writing.firstUp(), reading.firstUp(), listening.firstUp());
    }

    public boolean isUp() {
        return writing.current() != null && reading.current() != null;
    }

    /** What is wrong, in plain words; empty if nothing is. */
    public Optional<String> trouble() {
        String known = trouble;
        return known != null || isUp() ? Optional.ofNullable(known) : Optional.of("Redis is being connected");
    }

    boolean isCluster() {
        return cluster;
    }

    /** Sends a command that changes something. */
    <T> CompletionStage<T> write(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, command);
    }

    /** Sends a command that changes nothing. It may overtake writes, and is answered even if they are not. */
    <T> CompletionStage<T> read(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(reading, command);
    }

    /** The connection that messages come by, null if there is none now. */
    @Nullable
    StatefulRedisPubSubConnection<String, String> listening() {
        return listening.current();
    }

    /** Who is told of connections that messages come by; set once, before {@link #open}. */
    void onListening(Line.Events<StatefulRedisPubSubConnection<String, String>> events) {
        listener = events;
    }

    private <T> CompletionStage<T> send(
            Line<StatefulConnection<String, String>> line,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        StatefulConnection<String, String> connection = line.current();
        if (connection == null) {
            return CompletableFuture.failedStage(
                    new PresenceUnavailableException("Redis is not connected", new IllegalStateException()));
        }
        try {
            return command.apply(connections.commands(connection)).exceptionallyCompose(RedisLink::unavailable);
        } catch (RuntimeException refused) {
            return unavailable(refused);
        }
    }

    private static <T> CompletionStage<T> unavailable(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        return CompletableFuture.failedStage(
                cause instanceof PresenceUnavailableException
                        ? cause
                        : new PresenceUnavailableException(Trouble.inWords(cause), cause));
    }

    /** Says once what is wrong, and once that it is not any more. */
    private final class Health implements Line.Events<StatefulConnection<String, String>> {
        private final String address;

        Health(String address) {
            this.address = address;
        }

        @Override
        public void up(StatefulConnection<String, String> connection) {
            trouble = null;
            LOG.info("Redis at {} is connected", address);
        }

        @Override
        public void down(@Nullable Throwable cause) {
            String words = "Redis at " + address + ": " + Trouble.inWords(cause);
            if (!words.equals(trouble)) {
                LOG.warn("{}", words);
            }
            trouble = words;
        }
    }

    private final class Forwarding implements Line.Events<StatefulRedisPubSubConnection<String, String>> {
        @Override
        public void up(StatefulRedisPubSubConnection<String, String> connection) {
            listener.up(connection);
        }

        @Override
        public void down(@Nullable Throwable cause) {
            listener.down(cause);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
        connections.close();
    }
}
