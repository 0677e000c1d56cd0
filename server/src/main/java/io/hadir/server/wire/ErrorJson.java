package io.hadir.server.wire;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.hadir.presence.room.PresenceError;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An error as clients read it.
 *
 * @param field the field that is wrong
 * @param retryAfterMs after how many milliseconds it is worth trying again
 * @param until when a ban ends, in epoch milliseconds
 * @param event the event that failed, in a {@code room:error}
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ErrorJson(
        String code,
        String message,
        @Nullable String field,
        @Nullable Long retryAfterMs,
        @Nullable Long until,
        @Nullable String event) {
    public static ErrorJson of(PresenceError error) {
        return of(error, null);
    }

    public static ErrorJson of(PresenceError error, @Nullable String event) {
        Duration retryAfter = error.retryAfter();
        Instant until = error.until();
        return new ErrorJson(
                error.code().wire(),
                error.message(),
                error.field(),
                retryAfter == null ? null : (Long) retryAfter.toMillis(),
                until == null ? null : (Long) until.toEpochMilli(),
                event);
    }
}
