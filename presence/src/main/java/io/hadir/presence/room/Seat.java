package io.hadir.presence.room;

/** One user in one room, whether their presence is alive or not. */
public record Seat(RoomId room, UserId user) {}
