package io.hadir.presence;

/** A room in which somebody was counted for this answer. */
public record OccupiedRoom(RoomId room, long viewerCount) {}
