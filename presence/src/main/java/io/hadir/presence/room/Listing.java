package io.hadir.presence.room;

/** A page of a room's list, and the number of users in the room. */
public record Listing(RoomId room, Page page, long viewerCount) {}
