package io.hadir.redis;

import io.hadir.presence.PresenceUnavailableException;
import io.hadir.presence.RedisStatus;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
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

    private static final String NOT_YET = "Redis has not been reached yet";

    private final RedisConnections connections;
    private final ScheduledThreadPoolExecutor thread;
    private final Line<StatefulConnection<String, String>> writing;
    private final Line<StatefulConnection<String, String>> reading;
    private final Line<StatefulRedisPubSubConnection<String, String>> listening;
    private final RedisStatus.Mode mode;
    private final String address;
    private final List<Health<?>> healths;
    private final Map<RedisFailure, LongAdder> failures = new EnumMap<>(RedisFailure.class);
    private @Nullable String said = NOT_YET;
    private volatile Line.Events<StatefulRedisPubSubConnection<String, String>> listener = new Line.Events<>() {};

    public RedisLink(RedisAddress redis) {
        this(redis, RedisLatency.UNOBSERVED);
    }

    public RedisLink(RedisAddress redis, RedisLatency latency) {
        connections = RedisConnections.to(redis, latency);
        address = redis.toString();
        mode = redis.mode();
        thread = newThread();
        for (RedisFailure kind : RedisFailure.values()) {
            failures.put(kind, new LongAdder());
        }
        Health<StatefulConnection<String, String>> writes = new Health<>(new Line.Events<>() {});
        Health<StatefulConnection<String, String>> reads = new Health<>(new Line.Events<>() {});
        Health<StatefulRedisPubSubConnection<String, String>> listens = new Health<>(new Forwarding());
        healths = List.of(writes, reads, listens);
        writing = new Line<>(
                connections::connect,
                connection -> Greeting.check(connections.commands(connection)),
                connection -> connections.commands(connection).ping(),
                writes,
                thread);
        reading = new Line<>(
                connections::connect,
                connection -> connections.commands(connection).ping(),
                connection -> connections.commands(connection).ping(),
                reads,
                thread);
        listening = new Line<>(
                connections::connectPubSub,
                connection -> connection.async().ping(),
                connection -> connection.async().ping(),
                listens,
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
        return healths.stream()
                .flatMap(health -> Optional.ofNullable(health.trouble).stream())
                .findFirst();
    }

    /** How many commands failed in this way. */
    public long failures(RedisFailure kind) {
        return Objects.requireNonNull(failures.get(kind)).sum();
    }

    private void count(RedisFailure kind) {
        Objects.requireNonNull(failures.get(kind)).increment();
    }

    boolean isCluster() {
        return mode == RedisStatus.Mode.CLUSTER;
    }

    RedisStatus.Mode mode() {
        return mode;
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

    /** Does something later, unless the link is closed by then. */
    void after(Duration delay, Runnable action) {
        var unused = thread.schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
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
            count(RedisFailure.NOT_CONNECTED);
            return CompletableFuture.failedStage(
                    new PresenceUnavailableException("Redis is not connected", new IllegalStateException()));
        }
        try {
            return command.apply(connections.commands(connection)).exceptionallyCompose(this::unavailable);
        } catch (RuntimeException refused) {
            return unavailable(refused);
        }
    }

    private <T> CompletionStage<T> unavailable(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        if (cause instanceof PresenceUnavailableException) {
            return CompletableFuture.failedStage(cause);
        }
        count(RedisFailure.of(cause));
        return CompletableFuture.failedStage(new PresenceUnavailableException(Trouble.inWords(cause), cause));
    }

    /** Says once what is wrong, and once that nothing is any more; on the link's thread. */
    private void say() {
        String words = trouble().orElse(null);
        if (!Objects.equals(words, said)) {
            said = words;
            if (words == null) {
                LOG.info("Redis at {} is connected", address);
            } else {
                LOG.warn("{}", words);
            }
        }
    }

    /** How one of the lines is. */
    private final class Health<C> implements Line.Events<C> {
        private final Line.Events<C> next;
        private volatile @Nullable String trouble = NOT_YET;

        Health(Line.Events<C> next) {
            this.next = next;
        }

        @Override
        public void up(C connection) {
            trouble = null;
            say();
            next.up(connection);
        }

        @Override
        public void down(@Nullable Throwable cause) {
            trouble = "Redis at " + address + ": " + Trouble.inWords(cause);
            say();
            next.down(cause);
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
