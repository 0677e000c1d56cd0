package io.hadir.presence.room;

/**
 * How many users a room has after a change.
 *
 * @param alive whether so many were seen alive; if not, it is the number of hints
 */
public record ViewerCount(long viewers, boolean alive) {}
