package io.hadir.redis;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.Locale;
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

    /** As it is written where it is counted. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
