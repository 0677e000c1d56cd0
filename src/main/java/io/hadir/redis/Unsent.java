package io.hadir.redis;

import io.lettuce.core.RedisConnectionException;
import java.time.Duration;
import java.util.concurrent.CompletionException;

/** Commands to a cluster of which it is certain that they were not carried out, and which may find it otherwise soon. */
final class Unsent {
    /** So that there is time for an answer after the last try. */
    static final Duration TRIED_FOR = Duration.ofMillis(700);

    static final Duration PAUSE = Duration.ofMillis(40);

    private Unsent() {}

    static boolean is(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        String message = String.valueOf(cause.getMessage());
        return message.startsWith("TRYAGAIN")
                || message.startsWith("Currently not connected")
                || cause instanceof RedisConnectionException;
    }
}
