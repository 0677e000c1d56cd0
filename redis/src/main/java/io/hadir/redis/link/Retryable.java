package io.hadir.redis.link;

import io.lettuce.core.RedisConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** Recognises commands that a cluster certainly did not carry out and that may succeed if sent again soon. */
final class Retryable {
    /** Leaves time for an answer after the last try. */
    static final Duration TRIED_FOR = Duration.ofMillis(700);

    static final Duration PAUSE = Duration.ofMillis(40);

    private Retryable() {}

    static boolean is(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        String message = String.valueOf(cause.getMessage());
        return message.startsWith("TRYAGAIN")
                || message.startsWith("Currently not connected")
                || cause instanceof RedisConnectionException;
    }
}
