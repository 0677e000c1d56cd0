package io.hadir.redis;

import io.hadir.presence.Loop;
import io.hadir.presence.PresenceStore;
import io.hadir.presence.PresenceUnavailableException;
import io.hadir.presence.RedisStatus;
import io.hadir.presence.Stages;
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
 * The link to Redis: a connection to write, one to read, and those by which messages come.
 *
 * <p>Reading has its own because a Redis that has paused writes holds up everything behind the first write on a
 * connection. Commands are answered within the time that {@link RedisConnections} allows or fail with a {@link
 * PresenceUnavailableException}; nothing waits for Redis to come back, and nothing is sent twice.
 *
 * <p>A cluster is as many parts as it has masters. A command that names its key fails at once if that part is away; the
 * link is up as long as one of them is there.
 */
public final class RedisLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

    private static final String NOT_YET = "Redis has not been reached yet";

    private final RedisConnections connections;
    private final LinkLoop loop;
    private final ScheduledThreadPoolExecutor thread;
    private final Line<StatefulConnection<String, String>> writing;
    private final Line<StatefulConnection<String, String>> reading;
    private final Listening listening;
    private final Parts parts;
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

    /** A link on a thread that others use, too: what they do there needs no other to reach Redis. */
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
        writing = new Line<>(
                !isCluster(),
                connections::connect,
                connection -> checked(connection, Greeting.check(connections.commands(connection)))
                        .thenCompose(done -> Permissions.check(connections.commands(connection))),
                connection -> isCluster()
                        ? ping(connection)
                        : checked(connection, Permissions.check(connections.commands(connection))),
                writes.of(),
                thread);
        reading = new Line<>(!isCluster(), connections::connect, this::ping, this::ping, reads.of(), thread);
        listening = new Listening(connections, listens.of(), thread);
        parts = new Parts(connections, listening, this::current, this::looked, thread);
        connections.onMoved(() -> thread.execute(listening::settle));
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
        CompletableFuture<Void> connected = CompletableFuture.allOf(writing.firstUp(), reading.firstUp());
        CompletableFuture<Void> listens = new CompletableFuture<>();
        if (isCluster()) {
            // Which parts there are to listen to is known from the first connection on.
            connected.thenRunAsync(
                    () -> {
                        parts.watch();
                        listening.open().thenRun(() -> listens.complete(null));
                    },
                    thread);
        } else {
            thread.execute(() -> listening.open().thenRun(() -> listens.complete(null)));
        }
        return CompletableFuture.allOf(connected, listens);
    }

    public boolean isUp() {
        return writing.current() != null && reading.current() != null && !(isCluster() && parts.areAllAway());
    }

    /** Whether a key can be asked for now, as far as is known. */
    boolean reaches(String key) {
        Part part = connections.partOf(key);
        return isUp() && (part == null || !parts.isAway(part));
    }

    /** What is wrong, in plain words; empty if nothing is. */
    public Optional<String> trouble() {
        Optional<String> lines = healths.stream()
                .flatMap(health -> Optional.ofNullable(health.trouble).stream())
                .findFirst()
                .or(this::slowInWords);
        return lines.isEmpty() && isCluster() && parts.areAllAway() ? Optional.of(awayInWords()) : lines;
    }

    private Optional<String> slowInWords() {
        return healths.stream().anyMatch(health -> health.pace.isSlow())
                ? Optional.of("Redis at " + address + ": it answers too slowly (expected: within "
                        + PresenceStore.slowestAnswer().toMillis() + " ms)")
                : Optional.empty();
    }

    /** What is wrong with a part while the rest can be used, in plain words; empty if nothing is. */
    public Optional<String> partlyAway() {
        return !isCluster() || trouble().isPresent() || parts.inWords().isEmpty()
                ? Optional.empty()
                : Optional.of(awayInWords());
    }

    /** How many parts of a cluster are away. */
    public int partsAway() {
        return isCluster() ? parts.countAway() : 0;
    }

    private String awayInWords() {
        return "Redis at " + address + ": away is " + String.join("; ", parts.inWords());
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

    /** The parts that there are to be looked through. */
    List<Part> parts() {
        return connections.parts();
    }

    @Nullable
    Part partOf(String key) {
        return connections.partOf(key);
    }

    /** What to do whenever writes that had no way to Redis have one; set once, before the link is opened. */
    void onReturn(Runnable action) {
        returned = action;
    }

    private void looked() {
        int before = away;
        away = parts.countAway();
        if (away < before) {
            returned.run();
        }
        say();
    }

    /** Sends a command that changes something. */
    <T> CompletionStage<T> write(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, null, command);
    }

    /** Sends a command that changes something where this key lies. */
    <T> CompletionStage<T> write(
            String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(writing, key, command);
    }

    /** Sends a command that changes nothing. It may overtake writes, and is answered even if they are not. */
    <T> CompletionStage<T> read(Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(reading, null, command);
    }

    /** Sends a command that changes nothing where this key lies. */
    <T> CompletionStage<T> read(
            String key, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        return send(reading, key, command);
    }

    /** Sends a command that changes nothing to one part. */
    <T> CompletionStage<T> read(
            Part part, Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        StatefulConnection<String, String> connection = reading.current();
        if (connection == null || (isCluster() && parts.isAway(part))) {
            return notConnected();
        }
        return connections.commands(connection, part).thenCompose(command).exceptionallyCompose(this::unavailable);
    }

    /** The thread on which everything is sent and answered, for all who live by it; it ends with the link. */
    public Loop loop() {
        return loop;
    }

    /** The connections that messages come by. */
    Listening listening() {
        return listening;
    }

    /** Does something later, unless the link is closed by then. */
    void after(Duration delay, Runnable action) {
        var unused = thread.schedule(action, delay.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Something is not where it was taken to be. */
    void lookForOthers() {
        if (isCluster()) {
            thread.execute(parts::lookForOthers);
        }
    }

    private <T> CompletionStage<T> send(
            Line<StatefulConnection<String, String>> line,
            @Nullable String key,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command) {
        if (!isCluster()) {
            return send(line, command).exceptionallyCompose(this::unavailable);
        }
        long begun = System.nanoTime();
        return trying(line, key, command, begun).exceptionallyCompose(this::unavailable);
    }

    /** What surely was not carried out, because a slot is moving or a connection is being made, is tried again for a while. */
    private <T> CompletionStage<T> trying(
            Line<StatefulConnection<String, String>> line,
            @Nullable String key,
            Function<RedisClusterAsyncCommands<String, String>, CompletionStage<T>> command,
            long begun) {
        Part part = key == null ? null : connections.partOf(key);
        if (part != null && parts.isAway(part)) {
            return notConnected();
        }
        return send(line, command).exceptionallyCompose(failed -> {
            if (!Unsent.is(failed) || System.nanoTime() - begun > Unsent.TRIED_FOR.toNanos()) {
                return CompletableFuture.failedStage(failed);
            }
            CompletableFuture<T> again = new CompletableFuture<>();
            after(Unsent.PAUSE, () -> trying(line, key, command, begun).whenComplete(Stages.into(again)));
            return again;
        });
    }

    private <T> CompletionStage<T> send(
            Line<StatefulConnection<String, String>> line,
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
        return CompletableFuture.failedStage(new PresenceUnavailableException(Trouble.inWords(cause), cause));
    }

    private List<StatefulConnection<String, String>> current() {
        return Stream.of(writing, reading)
                .flatMap(line -> Optional.ofNullable(line.current()).stream())
                .toList();
    }

    /** A cluster is pinged part by part, and a connection to it is given up only if it reaches none of them. */
    private CompletionStage<?> ping(StatefulConnection<String, String> connection) {
        if (!isCluster()) {
            return checked(connection, connections.commands(connection).ping());
        }
        return parts.areAllAway()
                ? CompletableFuture.failedStage(new IllegalStateException("no part of it can be reached"))
                : CompletableFuture.completedStage(null);
    }

    private CompletionStage<?> checked(StatefulConnection<String, String> connection, CompletionStage<?> first) {
        return isCluster()
                ? first
                : first.thenCombine(Greeting.checkPrimary(connections.commands(connection)), (done, primary) -> done);
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
        List<String> ofParts = isCluster() && words == null ? parts.inWords() : List.of();
        if (!ofParts.equals(saidOfParts)) {
            saidOfParts = ofParts;
            if (!ofParts.isEmpty()) {
                LOG.warn("{}; what lies there is unavailable, the rest goes on", awayInWords());
            } else if (words == null) {
                LOG.info("Redis at {} is whole again", address);
            }
        }
    }

    /** How one kind of lines is. */
    private final class Health {
        private final Runnable onUp;
        private volatile @Nullable String trouble = NOT_YET;
        /** Kept from one connection to the next: a new one is not quicker. */
        private final Pace pace = new Pace(PresenceStore.slowestAnswer());

        Health(Runnable onUp) {
            this.onUp = onUp;
        }

        <C> Line.Events<C> of() {
            return new Line.Events<>() {
                @Override
                public void up(C connection) {
                    trouble = null;
                    onUp.run();
                    say();
                }

                @Override
                public void down(@Nullable Throwable cause) {
                    trouble = "Redis at " + address + ": " + Trouble.inWords(cause);
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
