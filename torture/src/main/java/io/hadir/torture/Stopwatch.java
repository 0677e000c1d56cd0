package io.hadir.torture;

import java.util.function.LongSupplier;

/** The clock of a run: nanoseconds since its start. It never goes back. */
final class Stopwatch {
    /** Later than any time of a run. */
    static final long NEVER = Long.MAX_VALUE;

    private final LongSupplier nanos;
    private final long start;

    Stopwatch(LongSupplier nanos) {
        this.nanos = nanos;
        start = nanos.getAsLong();
    }

    long now() {
        return nanos.getAsLong() - start;
    }

    static String format(long at) {
        return at == NEVER ? "never" : "%.3f s".formatted(at / 1e9);
    }
}
