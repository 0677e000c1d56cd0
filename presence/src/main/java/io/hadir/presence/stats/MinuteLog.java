package io.hadir.presence.stats;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** What all servers wrote down in the last 24 hours, by minutes of one clock that they share. */
public interface HistoryLog {
    /**
     * Adds to the minute that it is now, and says how many there are. An entry counts once, however often it is given.
     */
    CompletionStage<Void> add(Entry entry, Gauges gauges);

    /** The time by the clock that decides what minute it is. */
    CompletionStage<Instant> now();

    /**
     * What was written down in some minutes.
     *
     * @param first in minutes since the epoch, as the last one, which is included
     * @return points by minutes since the epoch; those in which nothing was written down are not there
     */
    CompletionStage<Map<Long, History.Point>> read(long first, long last);

    /**
     * What one server adds.
     *
     * @param number rises with every entry of this server
     * @param sweep the longest that has ended since the last entry, null if none has
     */
    record Entry(long number, Tally counts, @Nullable Duration sweep) {}
}
