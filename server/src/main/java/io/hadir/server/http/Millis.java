package io.hadir.server.http;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Times that are shorter than a millisecond as the API has them: in milliseconds, exact to the microsecond. */
final class Millis {
    private Millis() {}

    static @Nullable Double of(@Nullable Duration time) {
        return time == null ? null : TimeUnit.NANOSECONDS.toMicros(time.toNanos()) / 1e3;
    }
}
