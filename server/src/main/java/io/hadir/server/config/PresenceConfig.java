package io.hadir.server.config;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long somebody counts as present.
 *
 * @param ttl how long a presence lives without a heartbeat; more than the grace
 * @param heartbeat how often clients are told to send one
 * @param grace how long a presence outlives its last socket
 * @param sweep how often presences are held against the sockets that are really there
 * @param lease how long a server that fell silent counts as alive; renewed three times in it
 * @param inactivityMessage what a user is told whose presence ran out, null for the standard text
 * @param namesLimit participants above which changes of a room are sent without names
 */
public record PresenceConfig(
        Duration ttl,
        Duration heartbeat,
        Duration grace,
        Duration sweep,
        Duration lease,
        @Nullable String inactivityMessage,
        int namesLimit) {}
