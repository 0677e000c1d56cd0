package io.hadir.presence.room;

import java.time.Duration;

/**
 * How long a user counts as present.
 *
 * @param ttl how long a presence lives without a heartbeat
 * @param heartbeat how often clients send a heartbeat, unless a room's TTL demands it more often
 * @param grace how long a presence outlives its last socket
 * @param away how long a user whose paused socket fell silent stays, unless their room has its own time
 * @param sweep how often nodes compare presences with live sockets
 * @param sweepShare how much of the store's time a scan may take, above 0 and at most 1
 * @param lease how long a silent node counts as alive
 * @param namesLimit participants above which changes are sent without names
 * @param roomsPerSocket rooms that one socket may be in at the same time
 */
public record PresenceSettings(
        Duration ttl,
        Duration heartbeat,
        Duration grace,
        Duration away,
        Duration sweep,
        double sweepShare,
        Duration lease,
        int namesLimit,
        int roomsPerSocket) {
    /** A twentieth, so that clients hardly notice a scan. */
    private static final double SWEEP_SHARE = 0.05;

    /** Half an hour: a phone in a pocket, not one that was put away for the night. */
    private static final Duration AWAY = Duration.ofMinutes(30);

    /** Settings with the usual share for scans and the usual time for users who are away. */
    public PresenceSettings(
            Duration ttl,
            Duration heartbeat,
            Duration grace,
            Duration sweep,
            Duration lease,
            int namesLimit,
            int roomsPerSocket) {
        this(ttl, heartbeat, grace, AWAY, sweep, SWEEP_SHARE, lease, namesLimit, roomsPerSocket);
    }

    /** A client gets an answer within this time. */
    public static final Duration ANSWER_TIME = Duration.ofMillis(1700);

    /** A usual join needs this many answers of the store, one after the other. */
    private static final int ANSWERS_PER_JOIN = 3;

    /** A store that takes longer than this for one answer is too slow for joins. */
    public static final Duration STORE_ANSWER_TIME = ANSWER_TIME.dividedBy(ANSWERS_PER_JOIN);

    /** A presence outlives two missed heartbeats. */
    private static final int HEARTBEATS_PER_TTL = 3;

    /** How often clients send a heartbeat in a room with this TTL. */
    public Duration heartbeatWithin(Duration roomTtl) {
        Duration most = roomTtl.dividedBy(HEARTBEATS_PER_TTL);
        return heartbeat.compareTo(most) < 0 ? heartbeat : most;
    }

    /** How long a restored presence lives in a room with this TTL without a sign of its client. */
    public Duration provisionalWithin(Duration roomTtl) {
        return heartbeatWithin(roomTtl).multipliedBy(2);
    }
}
