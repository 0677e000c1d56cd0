package io.hadir.testing;

import io.hadir.embedded.EmbeddedRedis;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A real Redis for a test class, emptied before each test. Register it as a static extension. */
public final class TestRedis implements BeforeEachCallback, AfterAllCallback, AutoCloseable {
    private final EmbeddedRedis redis;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> connection;

    private TestRedis(EmbeddedRedis redis) {
        this.redis = redis;
        client = RedisClient.create(redis.url());
        connection = client.connect();
    }

    /** Starts a Redis with more lines in its configuration. */
    public static TestRedis start(String... more) {
        Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
        try {
            return new TestRedis(
                    EmbeddedRedis.start(Stream.concat(Stream.of("enable-debug-command yes"), Stream.of(more))
                            .toList()));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        connection.sync().flushall();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        connection.close();
        client.shutdown();
        redis.close();
    }

    /** The commands of an operator with {@code redis-cli}. */
    public RedisCommands<String, String> cli() {
        return connection.sync();
    }

    public RedisClient client() {
        return client;
    }

    public String url() {
        return redis.url();
    }

    public int port() {
        return redis.port();
    }

    /** As {@code kill -STOP}: like a suspended or swapped-out machine. */
    public void freeze() throws IOException, InterruptedException {
        Signals.freeze(redis.process());
    }

    public void wake() throws IOException, InterruptedException {
        Signals.wake(redis.process());
    }
}
