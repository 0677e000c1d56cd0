package io.hadir.presence;

/** One user in one room. */
public record Seat(RoomId room, UserId user) {}
