package io.hadir.presence.stats;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** The latest lines that all nodes wrote, for operators. It is bounded and forgets, so nothing may depend on it. */
public interface RecentLog {
    /** Adds lines in their order. A line whose id and text are there already is not added again. */
    CompletionStage<Void> add(List<Line> lines);

    /** The latest lines, the latest first. */
    CompletionStage<List<Entry>> latest(int most);

    /**
     * A line to write.
     *
     * @param id differs from that of every other line, and has no spaces; later lines of a node have greater ids
     */
    record Line(String id, String text) {}

    /** A line that was written, and when by the shared clock. */
    record Entry(String id, Instant at, String text) {}
}
