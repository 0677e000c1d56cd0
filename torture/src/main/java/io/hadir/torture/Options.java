package io.hadir.torture;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What is asked of a run.
 *
 * @param calm whether nothing is broken: people come and go, and that is all
 * @param only the names of the faults that there are, all of them if empty
 */
public record Options(Duration length, int nodes, int clients, long seed, boolean calm, Set<String> only) {
    /** The names of all faults. */
    public static List<String> faults() {
        return Stream.of(FaultKind.values()).map(FaultKind::title).toList();
    }

    boolean wants(FaultKind kind) {
        return !calm && (only.isEmpty() || only.contains(kind.title()));
    }

    /** As a command that does the same again. */
    public String command() {
        return "./hadir torture --minutes " + minutes() + " --nodes " + nodes + " --clients " + clients + " --seed "
                + seed + (calm ? " --calm" : "")
                + (only.isEmpty() ? "" : " --only " + String.join(",", new TreeSet<>(only)));
    }

    private String minutes() {
        double minutes = length.toMillis() / 60_000.0;
        return minutes == Math.rint(minutes) ? Long.toString(Math.round(minutes)) : Double.toString(minutes);
    }
}
