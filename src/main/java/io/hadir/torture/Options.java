package io.hadir.torture;

import java.time.Duration;

/**
 * What is asked of a run.
 *
 * @param calm whether nothing is broken: people come and go, and that is all
 */
public record Options(Duration length, int nodes, int clients, long seed, boolean calm) {
    /** As a command that does the same again. */
    public String command() {
        return "./hadir torture --minutes " + minutes() + " --nodes " + nodes + " --clients " + clients + " --seed "
                + seed + (calm ? " --calm" : "");
    }

    private String minutes() {
        double minutes = length.toMillis() / 60_000.0;
        return minutes == Math.rint(minutes) ? Long.toString(Math.round(minutes)) : Double.toString(minutes);
    }
}
