package io.hadir.presence.room;

import java.time.Duration;

/** A room as a socket sees it that has just joined. */
public record JoinedRoom(Seat seat, SocketId socket, Listing listing, Duration ttl) {}
