package io.hadir.redis.link;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A connection to Redis that replaces itself whenever it breaks or falls silent. Commands sent on the old connection
 * are not sent again. Its state changes on the link's thread only.
 */
final class ReconnectingConnection<C extends StatefulConnection<String, String>> {
    /** Together with {@link RedisConnections#PATIENCE}, this detects a silent connection within five seconds. */
    private static final Duration PING_EVERY = Duration.ofMillis(800);

    private static final int MISSES = 3;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final boolean finalDisconnect;
    private final Supplier<CompletionStage<C>> connect;
    private final Function<C, CompletionStage<?>> check;
    private final Function<C, CompletionStage<?>> ping;
    private final Events<C> events;
    private final ScheduledExecutorService thread;
    private volatile @Nullable C current;
    private final CompletableFuture<Void> firstUp = new CompletableFuture<>();
    private boolean ended;
    private int misses;
    private int failures;

    /** Hears when there is a connection, and when there is none. */
    interface Events<C> {
        default void up(C connection) {}

        default void down(@Nullable Throwable cause) {}

        /** A ping was answered after this time. */
        default void answered(Duration took) {}
    }

    /**
     * A connection that is not open yet.
     *
     * @param finalDisconnect whether a disconnect is final; Lettuce repairs connections to a cluster itself
     * @param check runs for every new connection; one that fails it is not used
     */
    ReconnectingConnection(
            boolean finalDisconnect,
            Supplier<CompletionStage<C>> connect,
            Function<C, CompletionStage<?>> check,
            Function<C, CompletionStage<?>> ping,
            Events<C> events,
            ScheduledExecutorService thread) {
        this.finalDisconnect = finalDisconnect;
        this.connect = connect;
        this.check = check;
        this.ping = ping;
        this.events = events;
        this.thread = thread;
    }

    /** The connection; null if there is none now. */
    @Nullable
    C current() {
        return current;
    }

    /** Completes with the first connection. */
    CompletableFuture<Void> firstUp() {
        return firstUp;
    }

    void open() {
        thread.execute(this::connect);
    }

    /** Closes the connection for good. Called on the link's thread. */
    void end() {
        ended = true;
        C connection = current;
        current = null;
        if (connection != null) {
            var unused = connection.closeAsync();
        }
    }

    private void connect() {
        if (ended) {
            return;
        }
        connect.get()
                .whenCompleteAsync(
                        (connection, failed) -> {
                            if (failed != null) {
                                retry(failed);
                            } else {
                                admit(connection);
                            }
                        },
                        thread);
    }

    private void admit(C connection) {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
                if (finalDisconnect) {
                    thread.execute(() -> replace(connection, null));
                }
            }
        });
        check.apply(connection)
                .whenCompleteAsync(
                        (done, failed) -> {
                            if (failed != null || ended || !connection.isOpen()) {
                                var unused = connection.closeAsync();
                                retry(failed);
                                return;
                            }
                            misses = 0;
                            failures = 0;
                            current = connection;
                            events.up(connection);
                            firstUp.complete(null);
                            pingLater(connection);
                        },
                        thread);
    }

    private void retry(@Nullable Throwable cause) {
        if (ended) {
            return;
        }
        events.down(cause);
        failures = Math.min(failures + 1, 10);
        long most = Math.min(LONGEST_PAUSE.toMillis(), SHORTEST_PAUSE.toMillis() << failures);
        long pause = ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE.toMillis(), most + 1);
        var unused = thread.schedule(this::connect, pause, TimeUnit.MILLISECONDS);
    }

    private void replace(C connection, @Nullable Throwable cause) {
        if (current == connection) {
            current = null;
            var unused = connection.closeAsync();
            retry(cause);
        }
    }

    /**
     * Pings do not wait for each other's answers, so every lost ping counts as soon as possible. All connections ping
     * at the same time, so that Redis wakes up once.
     */
    private void pingLater(C connection) {
        long every = PING_EVERY.toNanos();
        var unused = thread.schedule(
                () -> {
                    if (current == connection) {
                        ping(connection);
                        pingLater(connection);
                    }
                },
                every - Math.floorMod(System.nanoTime(), every),
                TimeUnit.NANOSECONDS);
    }

    private void ping(C connection) {
        long sent = System.nanoTime();
        ping.apply(connection)
                .whenCompleteAsync(
                        (pong, failed) -> {
                            if (current != connection) {
                                return;
                            }
                            misses = failed == null ? 0 : misses + 1;
                            if (failed == null) {
                                events.answered(Duration.ofNanos(System.nanoTime() - sent));
                            }
                            if (misses >= MISSES || (failed != null && RedisErrorText.isSilence(failed))) {
                                replace(connection, failed);
                            }
                        },
                        thread);
    }
}
