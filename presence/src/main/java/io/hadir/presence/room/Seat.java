package io.hadir.presence.room;

/** One user in one room. */
public record Seat(RoomId room, UserId user) {}
