package io.hadir.presence.room;

import java.time.Duration;

/** The room as it is for a socket that has just come in. */
public record JoinedRoom(Seat seat, SocketId socket, Listing listing, Duration ttl) {}
