package io.hadir.presence.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The app's word that somebody wrote something in a room.
 *
 * @param recipients whom it is for; the sender among them does not count, and nobody counts twice
 * @param data JSON that goes with the notifications, null for none
 */
public record Message(
        RoomId room,
        UserId sender,
        List<UserId> recipients,
        @Nullable String data) {
    public static final int MOST_RECIPIENTS = 10_000;
    public static final int MOST_DATA_BYTES = 4_096;
}
