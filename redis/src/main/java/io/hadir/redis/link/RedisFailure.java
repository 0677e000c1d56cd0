package io.hadir.redis.link;

import io.hadir.presence.room.PresenceUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** In which way a command failed, for those who count. */
public enum RedisFailure {
    /** There was no connection to send it by. */
    NOT_CONNECTED,
    /** No answer came in time; it may have been carried out all the same. */
    TIMEOUT,
    /** Redis said that its memory is full. */
    OUT_OF_MEMORY,
    /** Redis answered with another error. */
    REFUSED,
    /** The connection broke, or anything else. */
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

    /** Whether a command found something else than it needs under its key. */
    public static boolean isWrongType(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        cause = cause instanceof PresenceUnavailableException && cause.getCause() != null ? cause.getCause() : cause;
        return String.valueOf(cause.getMessage()).startsWith("WRONGTYPE");
    }

    /** As it is written where it is counted. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
