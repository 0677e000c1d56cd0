package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message in a room, as the app announces it.
 *
 * @param recipients the users it is for; the sender and duplicates are ignored
 * @param data JSON for the notifications, null for none
 */
public record Message(
        RoomId room,
        UserId sender,
        List<UserId> recipients,
        @Nullable String data) {
    public static final int MOST_RECIPIENTS = 10_000;
    public static final int MOST_DATA_BYTES = 4_096;
}
