package io.hadir.presence.room;

/** A page of a room's list together with how many are in the room. */
public record Listing(RoomId room, Page page, long viewerCount) {}
