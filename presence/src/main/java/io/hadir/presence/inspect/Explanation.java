package io.hadir.presence.inspect;

import java.util.Optional;
import java.util.Set;

/**
 * Why a user is in a room or not.
 *
 * @param aliveNodes the nodes of the user's sockets that have a lease; empty if that is not known
 */
public record Explanation(SeatRecord record, Optional<Set<String>> aliveNodes) {}
