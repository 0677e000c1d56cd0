package io.hadir.torture;

import java.util.Arrays;

/** Measured times, and what is said of them. */
final class Samples {
    private long[] nanos = new long[64];
    private int size;

    void add(long time) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, size * 2);
        }
        nanos[size++] = Math.max(0, time);
    }

    int size() {
        return size;
    }

    /** The time within which this share of all was, in milliseconds; 0 if there is none. */
    double millis(double share) {
        if (size == 0) {
            return 0;
        }
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        int rank = (int) Math.ceil(share * size) - 1;
        return sorted[Math.max(0, Math.min(size - 1, rank))] / 1e6;
    }
}
