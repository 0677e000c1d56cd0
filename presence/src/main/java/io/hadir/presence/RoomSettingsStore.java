package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import java.util.concurrent.CompletionStage;

/** The settings of single rooms. Methods fail as those of {@link SeatStore} do. */
public interface RoomSettingsStore {
    CompletionStage<RoomSettings> read(RoomId room);

    /** Replaces all settings of the room, and lets every node know. */
    CompletionStage<Void> write(RoomId room, RoomSettings settings);
}
