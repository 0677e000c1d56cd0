package io.hadir.redis.link;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceUnavailableException;
import io.hadir.presence.room.Stages;
import io.hadir.presence.stats.RedisStatus;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The link to Redis: a connection for writes, one for reads, and the pub/sub connections. A burst of commands waits in
 * a {@link CommandWindow} per connection and master; urgent commands overtake it.
 *
 * <p>Reads have their own connection because a Redis that has paused writes blocks everything behind the first write on
 * a connection. A command is answered within the time that {@link RedisConnections} allows or fails with a {@link
 * PresenceUnavailableException}. No command waits for Redis to come back, and none is sent twice.
 *
 * <p>In a cluster, a command that names its key fails at once if the key's master is away. The link is up as long as
 * one master is reachable.
 */
public final class RedisLink implements AutoCloseable {
    /** Leaves time for an answer after the last retry. */
    private static final Duration RETRIED_FOR = Duration.ofMillis(700);

    private static final Duration RETRY_PAUSE = Duration.ofMillis(40);

    /**
     * Enough to keep Redis busy. An urgent command waits for these: a few milliseconds, or 100 if all are large lists.
     */
    private static final int MOST_UNDER_WAY = 128;

    private static final Duration MOMENT = Duration.ofSeconds(1);

    private static final int PINGS_PER_CHECK = 5;

    private final RedisConnections connections;
    private final LinkLoop loop;
    private final ScheduledThreadPoolExecutor thread;
    private final ReconnectingConnection<StatefulConnection<String, String>> writing;
    private final ReconnectingConnection<StatefulConnection<String, String>> reading;
    private final PubSubConnections pubSub;
    private final MasterHealth masters;
    private final LinkHealth health;
    private final RedisStatus.Mode mode;
    private final Map<RedisFailure, LongAdder> failures = new EnumMap<>(RedisFailure.class);
    private final Map<String, CommandWindow> writes = new ConcurrentHashMap<>();
    private final Map<String, CommandWindow> reads = new ConcurrentHashMap<>();
    private volatile long answeredAt = System.nanoTime();
    private volatile Runnable returned = () -> {};
    private int mastersAway;
    private final AtomicInteger pings = new AtomicInteger();

    /** Receives the time that every command takes. Called on Lettuce's threads, so it must be quick. */
    @FunctionalInterface
    public interface LatencyListener {
        LatencyListener NONE = (command, nanos) -> {};

        /**
         * Redis has answered.
         *
         * @param command the command's name, such as {@code EVALSHA}
         */
        void answered(String command, long nanos);
    }

    /** A link on a thread of its own. */
    public RedisLink(RedisAddress redis) {
        this(redis, LatencyListener.NONE, new DefaultEventLoopGroupProvider(1));
    }

    /** A link on a shared thread, so that commands from that thread reach Redis without waking another one. */
    public RedisLink(RedisAddress redis, LatencyListener latency, EventLoop thread) {
        this(redis, latency, new LettuceResources.SharedThread(thread));
    }

    private RedisLink(RedisAddress redis, LatencyListener latency, EventLoopGroupProvider threads) {
        connections = RedisConnections.to(
                redis,
                (command, nanos) -> {
                    answeredAt = System.nanoTime();
                    latency.answered(command, nanos);
                },
                threads);
        loop = new LinkLoop(connections.thread());
        health = new LinkHealth(redis.toString());
        mode = redis.mode();
        thread = newThread();
        for (RedisFailure kind : RedisFailure.values()) {
            failures.put(kind, new LongAdder());
        }
        writing = new ReconnectingConnection<>(
                !isCluster(),
                connections::connect,
                connection -> withPrimaryCheck(connection, RedisCheck.checkVersion(connections.commands(connection)))
                        .thenCompose(done -> checkPermissions(connection)),
                this::pingOrCheck,
                health.watch(() -> returned.run()),
                thread);
        reading = new ReconnectingConnection<>(
                !isCluster(), connections::connect, this::ping, this::ping, health.watch(() -> {}), thread);
        pubSub = new PubSubConnections(connections, health.watch(() -> {}), thread);
        masters = new MasterHealth(connections, pubSub, this::current, this::mastersChecked, thread);
        if (isCluster()) {
            health.watch(masters);
        }
        connections.onTopologyChange(() -> thread.execute(pubSub::settle));
    }

    private CompletionStage<?> checkPermissions(StatefulConnection<String, String> connection) {
        return RedisCheck.checkPermissions(connections.commands(connection), connections.prefix);
    }

    private static ScheduledThreadPoolExecutor newThread() {
        ScheduledThreadPoolExecutor created = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "hadir-redis-link");
            thread.setDaemon(true);
            return thread;
        });
        // Connections that break after the link is closed do not matter.
        created.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
        return created;
    }

    /** Starts to connect and never stops trying; completes when Redis is usable for the first time. */
    public CompletionStage<Void> open() {
        writing.open();
        reading.open();
        CompletableFuture<Void> connected = CompletableFuture.allOf(writing.firstUp(), reading.firstUp());
        CompletableFuture<Void> listens = new CompletableFuture<>();
        if (isCluster()) {
            // Only a connection knows which masters there are.
            connected.thenRunAsync(
                    () -> {
                        masters.watch();
                        pubSub.open().thenRun(() -> listens.complete(null));
                    },
                    thread);
        } else {
            thread.execute(() -> pubSub.open().thenRun(() -> listens.complete(null)));
        }
        return CompletableFuture.allOf(connected, listens);
    }

    public boolean isUp() {
        return writing.current() != null && reading.current() != null && !masters.areAllAway();
    }

    /**
     * Whether Redis has answered within the last second and no part of it is silent: neither the writes, nor any master
     * of a cluster. A master that is known to be away does not count, because commands for it fail at once.
     */
    public boolean isAnswering() {
        return System.nanoTime() - answeredAt < MOMENT.toNanos() && !hasSilent(writes) && !hasSilent(reads);
    }

    private boolean hasSilent(Map<String, CommandWindow> windows) {
        return windows.entrySet().stream()
                .anyMatch(window -> window.getValue().isSilent() && !masters.isAway(window.getKey()));
    }

    /** Whether the key's master is reachable, as far as is known. */
    public boolean reaches(String key) {
        Master master = connections.masterOf(key);
        return isUp() && (master == null || !masters.isAway(master));
    }

    /** What is wrong, in plain words; empty if nothing is. */
    public Optional<String> trouble() {
        return health.trouble();
    }

    /** What is wrong with some masters while the others work, in plain words; empty if nothing is. */
    public Optional<String> partlyAway() {
        return health.partlyAway();
    }

    /** How many masters of a cluster are away. */
    public int mastersAway() {
        return masters.countAway();
    }

    /**
     * Asks Redis for its status; in a cluster, asks one master. Completes within the time of two commands, even if
     * Redis is away.
     */
    public CompletionStage<RedisStatus> status() {
        long begun = System.nanoTime();
        return read(redis -> redis.ping())
                .thenApply(pong -> Duration.ofNanos(System.nanoTime() - begun))
                .thenCompose(
                        latency -> read(redis -> redis.info()).thenApply(text -> status(new ServerInfo(text), latency)))
                .exceptionally(failed -> RedisStatus.away(mode));
    }

    private RedisStatus status(ServerInfo info, Duration latency) {
        return new RedisStatus(
                trouble().isEmpty(),
                mode,
                info.version(),
                info.evicting(),
                info.usedMemory(),
                info.maxMemory(),
                latency);
    }

    /** How many commands failed for this reason. */
    public long failures(RedisFailure kind) {
        return Objects.requireNonNull(failures.get(kind)).sum();
    }

    private void count(RedisFailure kind) {
        Objects.requireNonNull(failures.get(kind)).increment();
    }

    /**
     * A name, prefix or pattern as Redis knows it, with the operator's prefix. For scripts, whose arguments contain
     * names too.
     */
    public String inRedis(String name) {
        return connections.prefix + name;
    }

    public boolean isCluster() {
        return mode == RedisStatus.Mode.CLUSTER;
    }

    /** All masters. */
    public List<Master> masters() {
        return connections.masters();
    }

    @Nullable
    public Master masterOf(String key) {
        return connections.masterOf(key);
    }

    /** Sets what runs whenever writes can reach Redis again; called once, before the link opens. */
    public void onReturn(Runnable action) {
        returned = action;
    }

    private void mastersChecked() {
        int before = mastersAway;
        mastersAway = masters.countAway();
        if (mastersAway < before) {
            returned.run();
        }
        health.log();
    }

    /** Sends a write. */
    public <T> CompletionStage<T> write(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, null, true, command);
    }

    /** Sends a write to this key's master. */
    public <T> CompletionStage<T> write(
            String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, key, true, command);
    }

    /** Sends a write to this key's master at once. It overtakes waiting commands, so it must be rare or cheap. */
    public <T> CompletionStage<T> writeFirst(
            String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, key, false, command);
    }

    /** Sends a read. It may overtake writes, and is answered even while writes are not. */
    public <T> CompletionStage<T> read(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(reading, null, true, command);
    }

    /** Sends a read to this key's master. */
    public <T> CompletionStage<T> read(
            String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(reading, key, true, command);
    }

    /** Sends a read to one master. */
    public <T> CompletionStage<T> read(
            Master master, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        StatefulConnection<String, String> connection = reading.current();
        if (connection == null || (isCluster() && masters.isAway(master))) {
            return notConnected();
        }
        return connections.commands(connection, master).thenCompose(command).exceptionallyCompose(this::unavailable);
    }

    /** The time by the clock of this key's master. */
    public CompletionStage<Instant> time(String key) {
        Master master = masterOf(key);
        return master == null
                ? notConnected()
                : read(master, redis -> redis.time()).thenApply(RedisLink::instant);
    }

    /** The time by Redis' clock; by that of any master in a cluster. */
    public CompletionStage<Instant> time() {
        return read(redis -> redis.time()).thenApply(RedisLink::instant);
    }

    /** The answer to {@code TIME}. */
    public static Instant instant(List<String> answer) {
        long micros = Long.parseLong(answer.get(1));
        return Instant.ofEpochSecond(Long.parseLong(answer.get(0)), TimeUnit.MICROSECONDS.toNanos(micros));
    }

    /** The thread on which commands are sent and answered; it ends with the link. */
    public Loop loop() {
        return loop;
    }

    /** The pub/sub connections. */
    public PubSubConnections pubSub() {
        return pubSub;
    }

    /** Runs an action later, unless the link is closed by then. */
    public void after(Duration delay, Runnable action) {
        var unused = thread.schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Finds out which masters serve which slots now, after a slot has moved. */
    public void refreshTopology() {
        if (isCluster()) {
            thread.execute(masters::refreshTopology);
        }
    }

    /** @param inTurn whether the command waits for those before it */
    private <T> CompletionStage<T> send(
            ReconnectingConnection<StatefulConnection<String, String>> via,
            @Nullable String key,
            boolean inTurn,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        CompletionStage<T> sent = isCluster()
                ? sendWithRetries(via, key, inTurn, command, System.nanoTime())
                : send(via, inTurn ? Master.WHOLE : null, command);
        return sent.exceptionallyCompose(this::unavailable);
    }

    /**
     * Retries for a while a command that was certainly not carried out, because a slot is moving or a connection is
     * opening.
     */
    private <T> CompletionStage<T> sendWithRetries(
            ReconnectingConnection<StatefulConnection<String, String>> via,
            @Nullable String key,
            boolean inTurn,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command,
            long begun) {
        Master master = key == null ? null : connections.masterOf(key);
        if (master != null && masters.isAway(master)) {
            return notConnected();
        }
        return send(via, inTurn ? master : null, command).exceptionallyCompose(failed -> {
            if (!RedisFailure.isRetryable(failed) || System.nanoTime() - begun > RETRIED_FOR.toNanos()) {
                return CompletableFuture.failedStage(failed);
            }
            CompletableFuture<T> again = new CompletableFuture<>();
            after(
                    RETRY_PAUSE,
                    () -> sendWithRetries(via, key, inTurn, command, begun).whenComplete(Stages.into(again)));
            return again;
        });
    }

    /** @param master the one whose window the command waits in; null if it does not wait */
    private <T> CompletionStage<T> send(
            ReconnectingConnection<StatefulConnection<String, String>> via,
            @Nullable Master master,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return master == null
                ? sendNow(via, command)
                : (via == writing ? writes : reads)
                        .computeIfAbsent(master.address(), added -> new CommandWindow(MOST_UNDER_WAY))
                        .send(() -> sendNow(via, command));
    }

    private <T> CompletionStage<T> sendNow(
            ReconnectingConnection<StatefulConnection<String, String>> via,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        StatefulConnection<String, String> connection = via.current();
        if (connection == null) {
            return notConnected();
        }
        try {
            return command.apply(connections.commands(connection));
        } catch (RuntimeException refused) {
            return CompletableFuture.failedStage(refused);
        }
    }

    private <T> CompletionStage<T> notConnected() {
        count(RedisFailure.NOT_CONNECTED);
        return CompletableFuture.failedStage(
                new PresenceUnavailableException("Redis is not connected", new IllegalStateException()));
    }

    private <T> CompletionStage<T> unavailable(Throwable failed) {
        Throwable cause = RedisFailure.cause(failed);
        if (cause instanceof PresenceUnavailableException) {
            return CompletableFuture.failedStage(cause);
        }
        count(RedisFailure.of(cause));
        return CompletableFuture.failedStage(new PresenceUnavailableException(RedisErrorText.inWords(cause), cause));
    }

    private List<StatefulConnection<String, String>> current() {
        return Stream.of(writing, reading)
                .flatMap(connection -> Optional.ofNullable(connection.current()).stream())
                .toList();
    }

    /**
     * {@link MasterHealth} pings each master of a cluster; a connection is given up only if it reaches none of them.
     */
    private CompletionStage<?> ping(StatefulConnection<String, String> connection) {
        if (!isCluster()) {
            return withPrimaryCheck(connection, connections.commands(connection).ping());
        }
        return masters.areAllAway()
                ? CompletableFuture.failedStage(new IllegalStateException("no master can be reached"))
                : CompletableFuture.completedStage(null);
    }

    /** A check costs as much as a hundred pings, so it is rare as long as it succeeds. */
    private CompletionStage<?> pingOrCheck(StatefulConnection<String, String> connection) {
        if (isCluster() || pings.getAndIncrement() % PINGS_PER_CHECK != 0) {
            return ping(connection);
        }
        return withPrimaryCheck(connection, checkPermissions(connection)).whenComplete((done, failed) -> {
            if (failed != null) {
                pings.set(0);
            }
        });
    }

    private CompletionStage<?> withPrimaryCheck(
            StatefulConnection<String, String> connection, CompletionStage<?> first) {
        return isCluster()
                ? first
                : first.thenCombine(RedisCheck.checkPrimary(connections.commands(connection)), (done, primary) -> done);
    }

    @Override
    public void close() {
        loop.end();
        thread.shutdownNow();
        connections.close();
    }
}
