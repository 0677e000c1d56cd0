package io.hadir.torture;

import java.util.function.LongSupplier;

/** The one clock of a run: nanoseconds since its start, never set back. */
final class Stopwatch {
    /** Later than any time of a run. */
    static final long NEVER = Long.MAX_VALUE;

    private final LongSupplier nanos;
    private final long begun;

    Stopwatch(LongSupplier nanos) {
        this.nanos = nanos;
        begun = nanos.getAsLong();
    }

    long now() {
        return nanos.getAsLong() - begun;
    }

    static String words(long at) {
        return at == NEVER ? "never" : "%.3f s".formatted(at / 1e9);
    }
}
