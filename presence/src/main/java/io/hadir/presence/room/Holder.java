package io.hadir.presence.room;

/**
 * A socket at one point of its life. Of two steps of one socket the one with the higher turn was taken later, in
 * whatever order they reach Redis.
 */
public record Holder(SocketId socket, long turn) {}
