package io.hadir.redis.link;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.PresenceUnavailableException;
import io.hadir.presence.room.Stages;
import io.hadir.presence.stats.RedisStatus;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.netty.channel.EventLoop;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to Redis: a connection for writes, one for reads, and the pub/sub connections.
 *
 * <p>Reads have their own connection because a Redis that has paused writes blocks everything behind the first write on a
 * connection. A command is answered within the time that {@link RedisConnections} allows or fails with a {@link
 * PresenceUnavailableException}. No command waits for Redis to come back, and none is sent twice.
 *
 * <p>In a cluster, a command that names its key fails at once if the key's master is away. The link is up as long as one
 * master is reachable.
 */
public final class RedisLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

    private static final String NOT_YET = "Redis has not been reached yet";

    private final RedisConnections connections;
    private final LinkLoop loop;
    private final ScheduledThreadPoolExecutor thread;
    private final ReconnectingConnection<StatefulConnection<String, String>> writing;
    private final ReconnectingConnection<StatefulConnection<String, String>> reading;
    private final PubSubConnections pubSub;
    private final MasterHealth masters;
    private final RedisStatus.Mode mode;
    private final String address;
    private final List<Health> healths;
    private final Map<RedisFailure, LongAdder> failures = new EnumMap<>(RedisFailure.class);
    private @Nullable String said = NOT_YET;
    private List<String> saidOfParts = List.of();
    private volatile Runnable returned = () -> {};
    private int away;

    /** A link on a thread of its own. */
    public RedisLink(RedisAddress redis) {
        this(redis, RedisLatency.UNOBSERVED, new DefaultEventLoopGroupProvider(1));
    }

    /** A link on a thread that others share, so that their commands reach Redis without waking another thread. */
    public RedisLink(RedisAddress redis, RedisLatency latency, EventLoop thread) {
        this(redis, latency, new SharedThread(thread));
    }

    private RedisLink(RedisAddress redis, RedisLatency latency, EventLoopGroupProvider threads) {
        connections = RedisConnections.to(redis, latency, threads);
        loop = new LinkLoop(connections.thread());
        address = redis.toString();
        mode = redis.mode();
        thread = newThread();
        for (RedisFailure kind : RedisFailure.values()) {
            failures.put(kind, new LongAdder());
        }
        Health writes = new Health(() -> returned.run());
        Health reads = new Health(() -> {});
        Health listens = new Health(() -> {});
        healths = List.of(writes, reads, listens);
        writing = new ReconnectingConnection<>(
                !isCluster(),
                connections::connect,
                connection -> checked(connection, RedisCheck.check(connections.commands(connection)))
                        .thenCompose(done -> Permissions.check(connections.commands(connection))),
                connection -> isCluster()
                        ? ping(connection)
                        : checked(connection, Permissions.check(connections.commands(connection))),
                writes.of(),
                thread);
        reading = new ReconnectingConnection<>(
                !isCluster(), connections::connect, this::ping, this::ping, reads.of(), thread);
        pubSub = new PubSubConnections(connections, listens.of(), thread);
        masters = new MasterHealth(connections, pubSub, this::current, this::looked, thread);
        connections.onMoved(() -> thread.execute(pubSub::settle));
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
            // The first connection tells which masters there are.
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
        return writing.current() != null && reading.current() != null && !(isCluster() && masters.areAllAway());
    }

    /** Whether the key's master is reachable, as far as is known. */
    public boolean reaches(String key) {
        Master master = connections.masterOf(key);
        return isUp() && (master == null || !masters.isAway(master));
    }

    /** What is wrong, in plain words; empty if nothing is. */
    public Optional<String> trouble() {
        Optional<String> lines = healths.stream()
                .flatMap(health -> Optional.ofNullable(health.trouble).stream())
                .findFirst()
                .or(this::slowInWords);
        return lines.isEmpty() && isCluster() && masters.areAllAway() ? Optional.of(awayInWords()) : lines;
    }

    private Optional<String> slowInWords() {
        return healths.stream().anyMatch(health -> health.pace.isSlow())
                ? Optional.of("Redis at " + address + ": it answers too slowly (expected: within "
                        + PresenceSettings.STORE_ANSWER_TIME.toMillis() + " ms)")
                : Optional.empty();
    }

    /** What is wrong with one master while the others work, in plain words; empty if nothing is. */
    public Optional<String> partlyAway() {
        return !isCluster() || trouble().isPresent() || masters.inWords().isEmpty()
                ? Optional.empty()
                : Optional.of(awayInWords());
    }

    /** How many masters of a cluster are away. */
    public int mastersAway() {
        return isCluster() ? masters.countAway() : 0;
    }

    private String awayInWords() {
        return "Redis at " + address + ": away is " + String.join("; ", masters.inWords());
    }

    /** How many commands failed for this reason. */
    public long failures(RedisFailure kind) {
        return Objects.requireNonNull(failures.get(kind)).sum();
    }

    private void count(RedisFailure kind) {
        Objects.requireNonNull(failures.get(kind)).increment();
    }

    public boolean isCluster() {
        return mode == RedisStatus.Mode.CLUSTER;
    }

    public RedisStatus.Mode mode() {
        return mode;
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

    private void looked() {
        int before = away;
        away = masters.countAway();
        if (away < before) {
            returned.run();
        }
        say();
    }

    /** Sends a write. */
    public <T> CompletionStage<T> write(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, null, command);
    }

    /** Sends a write to this key's master. */
    public <T> CompletionStage<T> write(
            String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, key, command);
    }

    /** Sends a read. It may overtake writes, and is answered even if they are not. */
    public <T> CompletionStage<T> read(
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(reading, null, command);
    }

    /** Sends a read to this key's master. */
    public <T> CompletionStage<T> read(
            String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(reading, key, command);
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

    /** A slot has moved: finds out who serves it now. */
    public void lookForOthers() {
        if (isCluster()) {
            thread.execute(masters::lookForOthers);
        }
    }

    private <T> CompletionStage<T> send(
            ReconnectingConnection<StatefulConnection<String, String>> line,
            @Nullable String key,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        if (!isCluster()) {
            return send(line, command).exceptionallyCompose(this::unavailable);
        }
        long begun = System.nanoTime();
        return trying(line, key, command, begun).exceptionallyCompose(this::unavailable);
    }

    /** Retries for a while what was certainly not carried out, because a slot is moving or a connection is opening. */
    private <T> CompletionStage<T> trying(
            ReconnectingConnection<StatefulConnection<String, String>> line,
            @Nullable String key,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command,
            long begun) {
        Master master = key == null ? null : connections.masterOf(key);
        if (master != null && masters.isAway(master)) {
            return notConnected();
        }
        return send(line, command).exceptionallyCompose(failed -> {
            if (!Retryable.is(failed) || System.nanoTime() - begun > Retryable.TRIED_FOR.toNanos()) {
                return CompletableFuture.failedStage(failed);
            }
            CompletableFuture<T> again = new CompletableFuture<>();
            after(Retryable.PAUSE, () -> trying(line, key, command, begun).whenComplete(Stages.into(again)));
            return again;
        });
    }

    private <T> CompletionStage<T> send(
            ReconnectingConnection<StatefulConnection<String, String>> line,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        StatefulConnection<String, String> connection = line.current();
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
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        if (cause instanceof PresenceUnavailableException) {
            return CompletableFuture.failedStage(cause);
        }
        count(RedisFailure.of(cause));
        return CompletableFuture.failedStage(new PresenceUnavailableException(RedisErrorText.inWords(cause), cause));
    }

    private List<StatefulConnection<String, String>> current() {
        return Stream.of(writing, reading)
                .flatMap(line -> Optional.ofNullable(line.current()).stream())
                .toList();
    }

    /** {@link MasterHealth} pings each master of a cluster; a connection is given up only if it reaches none of them. */
    private CompletionStage<?> ping(StatefulConnection<String, String> connection) {
        if (!isCluster()) {
            return checked(connection, connections.commands(connection).ping());
        }
        return masters.areAllAway()
                ? CompletableFuture.failedStage(new IllegalStateException("no part of it can be reached"))
                : CompletableFuture.completedStage(null);
    }

    private CompletionStage<?> checked(StatefulConnection<String, String> connection, CompletionStage<?> first) {
        return isCluster()
                ? first
                : first.thenCombine(RedisCheck.checkPrimary(connections.commands(connection)), (done, primary) -> done);
    }

    /** Logs once what is wrong, and once that it is right again; on the link's thread. */
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
        List<String> ofParts = isCluster() && words == null ? masters.inWords() : List.of();
        if (!ofParts.equals(saidOfParts)) {
            saidOfParts = ofParts;
            if (!ofParts.isEmpty()) {
                LOG.warn("{}; what lies there is unavailable, the rest goes on", awayInWords());
            } else if (words == null) {
                LOG.info("Redis at {} is whole again", address);
            }
        }
    }

    /** The state of one kind of connection. */
    private final class Health {
        private final Runnable onUp;
        private volatile @Nullable String trouble = NOT_YET;
        /** Kept from one connection to the next: a new one is not quicker. */
        private final Pace pace = new Pace(PresenceSettings.STORE_ANSWER_TIME);

        Health(Runnable onUp) {
            this.onUp = onUp;
        }

        <C> ReconnectingConnection.Events<C> of() {
            return new ReconnectingConnection.Events<>() {
                @Override
                public void up(C connection) {
                    trouble = null;
                    onUp.run();
                    say();
                }

                @Override
                public void down(@Nullable Throwable cause) {
                    trouble = "Redis at " + address + ": " + RedisErrorText.inWords(cause);
                    say();
                }

                @Override
                public void answered(Duration took) {
                    if (pace.changes(took)) {
                        say();
                    }
                }
            };
        }
    }

    @Override
    public void close() {
        loop.end();
        thread.shutdownNow();
        connections.close();
    }
}
