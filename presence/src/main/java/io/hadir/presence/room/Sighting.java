package io.hadir.presence.room;

import java.util.Set;

/**
 * A presence as a scan saw it.
 *
 * @param named the socket that the presence names; a socket of no node if the value is not a socket id
 * @param sockets all sockets that hold the seat, the named one included
 * @param held whether the details contain the named socket, which only a Hadir writes
 * @param complete whether the hints exist, too
 */
public record Sighting(Seat seat, SocketId named, Set<SocketId> sockets, boolean held, boolean complete) {}
