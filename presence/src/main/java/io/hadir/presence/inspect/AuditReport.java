package io.hadir.presence.inspect;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;

/**
 * How an audit goes, or went.
 *
 * @param looked presences that were looked at
 * @param passed how many discrepancies had gone by themselves when they were looked at again
 * @param sweep how old a discrepancy may be: by then a sweep should have put it right
 * @param discrepancies those that are there, the oldest first
 * @param repaired those that were there before the repair
 * @param silentNodes the nodes that did not answer, whose sockets could not be compared
 * @param truncated whether there are more than can be told
 */
public record AuditReport(
        Instant startedAt,
        Duration took,
        Phase phase,
        boolean repair,
        long looked,
        long passed,
        Duration sweep,
        List<Finding> discrepancies,
        List<Finding> repaired,
        Set<String> silentNodes,
        boolean truncated) {
    /** What it is doing, as it is written on the wire. */
    public enum Phase {
        LOOKING("looking"),
        LOOKING_AGAIN("looking_again"),
        REPAIRING("repairing"),
        FINISHED("finished"),
        /** Redis could not be asked. */
        FAILED("failed");

        private final String wire;

        Phase(String wire) {
            this.wire = wire;
        }

        public String wire() {
            return wire;
        }

        public boolean isOver() {
            return this == FINISHED || this == FAILED;
        }
    }

    /**
     * A discrepancy that is there.
     *
     * @param age for how long audits of this node have seen it; it may be older
     */
    public record Finding(Discrepancy discrepancy, Duration age) {}

    /** How many there are of a kind. */
    public long count(Discrepancy.Kind kind) {
        return discrepancies.stream()
                .filter(finding -> finding.discrepancy().kind() == kind)
                .count();
    }
}
