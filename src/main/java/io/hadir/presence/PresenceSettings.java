package io.hadir.presence;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long somebody counts as present.
 *
 * @param ttl how long a presence lives without a heartbeat
 * @param heartbeat how often clients send one
 * @param grace how long a presence outlives its last socket
 * @param sweep how often presences are held against the sockets that are really there
 * @param lease how long a node that fell silent counts as alive
 * @param inactivityMessage what a user is told whose presence ran out, null for the standard text
 * @param namesLimit participants above which changes are told without names
 * @param roomsPerSocket rooms that one socket may be in at a time
 */
public record PresenceSettings(
        Duration ttl,
        Duration heartbeat,
        Duration grace,
        Duration sweep,
        Duration lease,
        @Nullable String inactivityMessage,
        int namesLimit,
        int roomsPerSocket) {
    /** How long a restored presence lives until its client proves that it is there. */
    public Duration provisional() {
        return heartbeat.multipliedBy(2);
    }
}
