package io.hadir.redis.link;

import io.hadir.presence.room.PresenceUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The ways in which a command fails, as counted in the metrics. */
public enum RedisFailure {
    /** There was no connection to send it on. */
    NOT_CONNECTED,
    /** No answer arrived in time; Redis may still have carried it out. */
    TIMEOUT,
    /** Redis answered that its memory is full. */
    OUT_OF_MEMORY,
    /** Redis answered with another error. */
    REFUSED,
    /** The connection broke, or something else went wrong. */
    BROKEN;

    static RedisFailure of(@Nullable Throwable cause) {
        if (cause instanceof RedisCommandTimeoutException) {
            return TIMEOUT;
        }
        if (cause instanceof RedisCommandExecutionException refused) {
            return String.valueOf(refused.getMessage()).startsWith("OOM") ? OUT_OF_MEMORY : REFUSED;
        }
        return BROKEN;
    }

    /** The failure of a stage without the wrapper that later stages add. */
    static Throwable cause(Throwable failed) {
        return failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
    }

    /** Whether a cluster certainly did not carry the command out, and may do so if it is sent again soon. */
    static boolean isRetryable(Throwable failed) {
        Throwable cause = cause(failed);
        String message = String.valueOf(cause.getMessage());
        return message.startsWith("TRYAGAIN")
                || message.startsWith("Currently not connected")
                || cause instanceof RedisConnectionException;
    }

    /** Whether a command failed because its key has another type. */
    public static boolean isWrongType(Throwable failed) {
        Throwable cause = cause(failed);
        cause = cause instanceof PresenceUnavailableException && cause.getCause() != null ? cause.getCause() : cause;
        return String.valueOf(cause.getMessage()).startsWith("WRONGTYPE");
    }

    /** The name in the metrics. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
