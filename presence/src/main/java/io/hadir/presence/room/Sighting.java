package io.hadir.presence.room;

import java.util.Set;

/**
 * A presence as a scan saw it.
 *
 * @param named the socket that the presence names; its node is empty if the value is not a socket id
 * @param sockets all sockets that hold the seat, including the named one
 * @param held whether the details contain the named socket, as they do if Hadir wrote the presence
 * @param complete whether the hints exist
 */
public record Sighting(Seat seat, SocketId named, Set<SocketId> sockets, boolean held, boolean complete) {}
