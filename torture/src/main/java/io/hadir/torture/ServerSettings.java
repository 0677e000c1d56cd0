package io.hadir.torture;

import io.hadir.torture.Departure.Cause;
import java.time.Duration;
import java.util.List;

/**
 * The settings of the servers in a run. They are short, so that many joins and departures fit into a minute. The sweep
 * takes twice as long as the grace period, as it does by default: it cannot hide a grace period that was never set.
 *
 * @param attached whether clients are connected to apps, and the servers attached to those
 */
record ServerSettings(
        Duration grace,
        Duration pingInterval,
        Duration pingTimeout,
        Duration lease,
        Duration sweep,
        Duration heartbeat,
        Duration ttl,
        boolean attached) {
    static final ServerSettings SHORT = new ServerSettings(
            Duration.ofSeconds(3),
            Duration.ofSeconds(2),
            Duration.ofSeconds(2),
            Duration.ofSeconds(5),
            Duration.ofSeconds(6),
            Duration.ofSeconds(2),
            Duration.ofSeconds(20),
            false);

    static final String TRUNK_KEY = "torture-torture-torture";

    /** The same for servers that are attached to apps. */
    ServerSettings attachedToApps() {
        return new ServerSettings(grace, pingInterval, pingTimeout, lease, sweep, heartbeat, ttl, true);
    }

    List<String> flags() {
        return List.of(
                "--grace-seconds=" + grace.toSeconds(),
                "--ping-interval-seconds=" + pingInterval.toSeconds(),
                "--ping-timeout-seconds=" + pingTimeout.toSeconds(),
                "--lease-seconds=" + lease.toSeconds(),
                "--sweep-seconds=" + sweep.toSeconds(),
                "--heartbeat-seconds=" + heartbeat.toSeconds(),
                "--ttl-seconds=" + ttl.toSeconds(),
                "--trunk-key=" + TRUNK_KEY);
    }

    /** How long it takes after Redis lost presences until their users are told and everybody sees a correct list. */
    Duration lossAnnounced() {
        return sweep.plus(heartbeat).plus(Cause.ANNOUNCING);
    }

    /** A clock jump longer than every lease and grace period, but within the TTL of users who send heartbeats. */
    Duration clockJumpPastLease() {
        return ttl.multipliedBy(3).dividedBy(5);
    }

    /** How long a server may be frozen or cut off from Redis and still be certain to keep its lease. */
    Duration toleratedOutage() {
        return lease.dividedBy(3);
    }
}
