package io.hadir.presence.stats;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Counts and gauges of all nodes, by steps of a shared clock: minutes for 24 hours, five seconds for 15 minutes. */
public interface HistoryLog {
    /** Adds an entry to the current step of each length and sets its gauges. A repeated entry counts once. */
    CompletionStage<Void> add(Entry entry, Gauges gauges);

    /** The time by the shared clock. */
    CompletionStage<Instant> now();

    /**
     * Reads the points of some steps.
     *
     * @param first in steps since the epoch
     * @param last inclusive, in steps since the epoch
     * @return points by steps since the epoch, without the steps that have no entry
     */
    CompletionStage<Map<Long, HistoryChart.Point>> read(HistoryChart.Step step, long first, long last);

    /**
     * What one node has counted since its last entry.
     *
     * @param number rises with every entry of this node
     * @param sweep the duration of the longest sweep that has ended since the last entry, null if none has
     */
    record Entry(long number, Tally counts, @Nullable Duration sweep) {}
}
