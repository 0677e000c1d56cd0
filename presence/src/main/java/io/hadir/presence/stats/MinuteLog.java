package io.hadir.presence.stats;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Counts and gauges of all nodes over the last 24 hours, by minutes of a shared clock. */
public interface MinuteLog {
    /** Adds an entry to the current minute and sets its gauges. A repeated entry counts once. */
    CompletionStage<Void> add(Entry entry, Gauges gauges);

    /** The time by the shared clock. */
    CompletionStage<Instant> now();

    /**
     * Reads the points of some minutes.
     *
     * @param first in minutes since the epoch
     * @param last inclusive, in minutes since the epoch
     * @return points by minutes since the epoch, without the minutes that have no entry
     */
    CompletionStage<Map<Long, MinuteChart.Point>> read(long first, long last);

    /**
     * What one node has counted since its last entry.
     *
     * @param number rises with every entry of this node
     * @param sweep the duration of the longest sweep that has ended since the last entry, null if none has
     */
    record Entry(long number, Tally counts, @Nullable Duration sweep) {}
}
