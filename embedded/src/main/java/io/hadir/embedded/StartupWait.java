package io.hadir.embedded;

import io.lettuce.core.RedisException;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits until embedded Redis servers have formed a group. */
public final class StartupWait {
    private static final long TIMEOUT_SECONDS = 60;
    private static final long POLL_MILLIS = 50;

    private StartupWait() {}

    /**
     * Waits until a condition holds; an error from Redis counts as not yet.
     *
     * @param what the condition in words, for the error message
     */
    public static void until(String what, BooleanSupplier condition) throws IOException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
        while (!holds(condition)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IOException("the Redis that comes with Hadir took too long until " + what);
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
