package io.hadir.torture;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/** What a run counts and measures. Confined to the event loop. */
final class Statistics {
    final Map<Plan.Action, Integer> actions = new EnumMap<>(Plan.Action.class);
    final Map<FaultKind, Integer> faults = new EnumMap<>(FaultKind.class);
    /** Refused requests while nothing was broken, by error code. */
    final Map<String, Integer> refused = new TreeMap<>();
    /** Measured times while nothing was broken, by what was measured. */
    final Map<String, Durations> calm = new LinkedHashMap<>();
    /** Measured times that a fault or a busy machine may have disturbed. */
    final Map<String, Durations> disturbed = new LinkedHashMap<>();

    int joins;
    int heartbeats;
    /** Messages that watchers received. */
    int messages;
    /** Gaps in the revisions that watchers repaired by listing again. */
    int gaps;

    int snapshots;
    long presences;
    int lists;
    int listsAfterDeletion;
    int statuses;
    /** Connections that broke while nothing was broken. */
    int disconnects;
    /** How long a wrong entry stayed past its deadline, at most. */
    long longestGhost;

    void count(Plan.Action action) {
        actions.merge(action, 1, Integer::sum);
    }

    void count(FaultKind kind) {
        faults.merge(kind, 1, Integer::sum);
    }

    void countRefused(String code) {
        refused.merge(code, 1, Integer::sum);
    }

    void measure(String what, boolean undisturbed, long time) {
        (undisturbed ? calm : disturbed)
                .computeIfAbsent(what, name -> new Durations())
                .add(time);
    }

    int operations() {
        return joins + heartbeats + sum(actions);
    }

    int faults() {
        return sum(faults);
    }

    private static int sum(Map<?, Integer> counts) {
        return counts.values().stream().mapToInt(n -> n).sum();
    }

    /** Measured durations of one kind. */
    static final class Durations {
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

        /** A percentile in milliseconds, 0 if nothing was measured. */
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
}
