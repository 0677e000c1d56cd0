package io.hadir.torture;

import java.time.Duration;
import java.util.List;

/**
 * The settings that the servers run with: short, so that many lives fit into a minute, and otherwise like any other. The
 * sweep takes twice as long as the grace, as it does by default, so that it cannot stand in for a grace that was not set.
 */
record Terms(
        Duration grace,
        Duration pingInterval,
        Duration pingTimeout,
        Duration lease,
        Duration sweep,
        Duration heartbeat,
        Duration ttl) {
    static final Terms SHORT = new Terms(
            Duration.ofSeconds(3),
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(6),
            Duration.ofSeconds(2),
            Duration.ofSeconds(20));

    List<String> flags() {
        return List.of(
                "--grace-seconds=" + grace.toSeconds(),
                "--ping-interval-seconds=" + pingInterval.toSeconds(),
                "--ping-timeout-seconds=" + pingTimeout.toSeconds(),
                "--lease-seconds=" + lease.toSeconds(),
                "--sweep-seconds=" + sweep.toSeconds(),
                "--heartbeat-seconds=" + heartbeat.toSeconds(),
                "--ttl-seconds=" + ttl.toSeconds());
    }

    /** In which everybody is told to be out of whom Redis has lost everything, and what they see is put right. */
    Duration toldOfLoss() {
        return sweep.plus(heartbeat).plus(Cause.TELLING);
    }

    /** Past every lease and every grace, and within the TTL of whoever sends heartbeats. */
    Duration pastLease() {
        return ttl.multipliedBy(3).dividedBy(5);
    }

    /** How long a server may stand still, or be without Redis, and still be certain to keep its lease. */
    Duration harmless() {
        return lease.dividedBy(3);
    }
}
