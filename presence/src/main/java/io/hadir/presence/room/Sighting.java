package io.hadir.presence.room;

import java.util.Set;

/**
 * A presence as a scan saw it.
 *
 * @param named the socket that the presence names; its node is empty if the value is not a socket id
 * @param sockets the sockets that hold the seat, including the named one
 * @param complete whether nothing that belongs to the presence was seen to be missing
 */
public record Sighting(Seat seat, SocketId named, Set<SocketId> sockets, boolean complete) {}
