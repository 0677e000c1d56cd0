package io.hadir.presence.room;

/**
 * The socket that holds a seat, with its turn. Of two steps of one socket, the one with the higher turn is later, even if
 * it reaches Redis first.
 */
public record Holder(SocketId socket, long turn) {}
