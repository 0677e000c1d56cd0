package io.hadir.redis;

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
 * One connection to Redis that is made anew whenever it breaks or falls silent. What was sent on the old one is not sent
 * again. Its state changes on the link's thread only.
 */
final class Line<C extends StatefulConnection<String, String>> {
    /** With the time that a command has, a line on which nothing comes is known as such well within five seconds. */
    private static final Duration PING_EVERY = Duration.ofMillis(800);

    private static final int MISSES = 3;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(50);
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

    private final boolean fragile;
    private final Supplier<CompletionStage<C>> connect;
    private final Function<C, CompletionStage<?>> greet;
    private final Function<C, CompletionStage<?>> ping;
    private final Events<C> events;
    private final ScheduledExecutorService thread;
    private volatile @Nullable C current;
    private final CompletableFuture<Void> firstUp = new CompletableFuture<>();
    private boolean ended;
    private int misses;
    private int failures;

    /** What becomes of a line. */
    interface Events<C> {
        default void up(C connection) {}

        default void down(@Nullable Throwable cause) {}

        /** A ping was answered after so long. */
        default void answered(Duration took) {}
    }

    /**
     * A line that is not open yet.
     *
     * @param fragile whether it is over when it says that it is disconnected; that to a cluster mends itself
     * @param greet is done once for every connection; one for which it fails is not used
     */
    Line(
            boolean fragile,
            Supplier<CompletionStage<C>> connect,
            Function<C, CompletionStage<?>> greet,
            Function<C, CompletionStage<?>> ping,
            Events<C> events,
            ScheduledExecutorService thread) {
        this.fragile = fragile;
        this.connect = connect;
        this.greet = greet;
        this.ping = ping;
        this.events = events;
        this.thread = thread;
    }

    /** The connection, null if there is none now. */
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

    /** Ends the line for good. On the link's thread. */
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
                if (fragile) {
                    thread.execute(() -> drop(connection, null));
                }
            }
        });
        greet.apply(connection)
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

    private void drop(C connection, @Nullable Throwable cause) {
        if (current == connection) {
            current = null;
            var unused = connection.closeAsync();
            retry(cause);
        }
    }

    /** Pings do not wait for each other's answers, so that every one that is lost counts as soon as it can. */
    private void pingLater(C connection) {
        var unused = thread.schedule(
                () -> {
                    if (current == connection) {
                        ping(connection);
                        pingLater(connection);
                    }
                },
                PING_EVERY.toMillis(),
                TimeUnit.MILLISECONDS);
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
                            if (misses >= MISSES) {
                                drop(connection, failed);
                            }
                        },
                        thread);
    }
}
