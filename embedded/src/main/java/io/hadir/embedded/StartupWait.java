package io.hadir.embedded;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits for the embedded Redis servers to start. */
public final class StartupWait {
    private static final long MOST_SECONDS = 60;
    private static final long POLL_MILLIS = 50;

    private StartupWait() {}

    public static RedisCommands<String, String> connect(RedisClient client, EmbeddedRedis redis) {
        return client.connect(RedisURI.create(redis.url())).sync();
    }

    /** Waits until the condition holds; an error of Redis means not yet. */
    public static void until(String what, BooleanSupplier condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(MOST_SECONDS);
        while (!holds(condition)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("the Redis that comes with Hadir did not get so far: " + what);
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while Redis was starting", interrupted);
            }
        }
    }

    private static boolean holds(BooleanSupplier condition) {
        try {
            return condition.getAsBoolean();
        } catch (RedisException notYet) {
            return false;
        }
    }
}
