package io.hadir.presence;

/** The ports through which presence reads and changes the truth. */
public record Stores(
        SeatStore seats, RoomStore rooms, RoomDirectory directory, RoomSettingsStore settings, NodeRooms nodeRooms) {}
