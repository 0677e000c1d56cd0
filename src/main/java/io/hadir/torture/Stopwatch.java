package io.hadir.torture;

/** The one clock of a run: nanoseconds since its start, never set back. */
final class Stopwatch {
    /** Later than any time of a run. */
    static final long NEVER = Long.MAX_VALUE;

    private final long begun = System.nanoTime();

    long now() {
        return System.nanoTime() - begun;
    }

    static String words(long at) {
        return at == NEVER ? "never" : "%.3f s".formatted(at / 1e9);
    }
}
