package io.hadir.presence.inspect;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * The progress or result of an audit.
 *
 * @param inspected the number of presences inspected
 * @param passed the number of discrepancies that had disappeared by the next inspection
 * @param sweep the age by which a sweep should have repaired a discrepancy
 * @param discrepancies those that exist, the oldest first
 * @param repaired those that a repair has removed
 * @param silentNodes the nodes that did not answer, so their sockets are not compared
 * @param truncated whether there are more discrepancies than a report can have
 */
public record AuditReport(
        Instant startedAt,
        Duration took,
        Phase phase,
        boolean repair,
        long inspected,
        long passed,
        Duration sweep,
        List<Finding> discrepancies,
        List<Finding> repaired,
        Set<String> silentNodes,
        boolean truncated) {
    /** The phase of an audit, with the name on the wire. */
    public enum Phase {
        LOOKING("looking"),
        LOOKING_AGAIN("looking_again"),
        REPAIRING("repairing"),
        FINISHED("finished"),
        /** Redis did not answer. */
        FAILED("failed");

        private final String wire;

        Phase(String wire) {
            this.wire = wire;
        }

        public String wire() {
            return wire;
        }

        boolean isOver() {
            return this == FINISHED || this == FAILED;
        }
    }

    /**
     * A discrepancy that exists.
     *
     * @param age the time since an audit of this node first found it; it may be older
     */
    public record Finding(Discrepancy discrepancy, Duration age) {}

    /** The number of discrepancies of a kind. */
    public long count(Discrepancy.Kind kind) {
        return discrepancies.stream()
                .filter(finding -> finding.discrepancy().kind() == kind)
                .count();
    }
}
