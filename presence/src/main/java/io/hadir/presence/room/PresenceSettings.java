package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long somebody counts as present.
 *
 * @param ttl how long a presence lives without a heartbeat
 * @param heartbeat how often clients send one, unless a room's TTL wants it more often
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
    /** A presence outlives two heartbeats that did not come. */
    private static final int HEARTBEATS_PER_TTL = 3;

    /** How often clients send a heartbeat in a room with this TTL. */
    public Duration heartbeatWithin(Duration roomTtl) {
        Duration most = roomTtl.dividedBy(HEARTBEATS_PER_TTL);
        return heartbeat.compareTo(most) < 0 ? heartbeat : most;
    }

    /** How long a restored presence lives in a room with this TTL until its client proves that it is there. */
    public Duration provisionalWithin(Duration roomTtl) {
        return heartbeatWithin(roomTtl).multipliedBy(2);
    }
}
