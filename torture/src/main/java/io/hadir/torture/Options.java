package io.hadir.torture;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * The options of a run.
 *
 * @param calm whether to inject no faults
 * @param only the names of the faults to inject; all if empty
 * @param attach whether clients connect to apps that the servers are attached to
 */
record Options(Duration length, int nodes, int clients, long seed, boolean calm, Set<String> only, boolean attach) {
    /** The names of all faults. */
    static List<String> faults() {
        return Stream.of(FaultKind.values()).map(FaultKind::optionName).toList();
    }

    boolean wants(FaultKind kind) {
        return !calm && (attach || !kind.isOfApp()) && (only.isEmpty() || only.contains(kind.optionName()));
    }

    /** The command that repeats the run. */
    String command() {
        return "./hadir torture --minutes " + minutes() + " --nodes " + nodes + " --clients " + clients + " --seed "
                + seed + (calm ? " --calm" : "") + (attach ? " --attach" : "")
                + (only.isEmpty() ? "" : " --only " + String.join(",", new TreeSet<>(only)));
    }

    private String minutes() {
        double minutes = length.toMillis() / 60_000.0;
        return minutes == Math.rint(minutes) ? Long.toString(Math.round(minutes)) : Double.toString(minutes);
    }
}
