package io.hadir.server.wire;

import io.hadir.presence.room.Listing;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.PresenceError;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What answers of every kind have in common, field by field. Times in epoch milliseconds. */
public final class Fields {
    private Fields() {}

    public static Map<String, Object> error(PresenceError error) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("code", error.code().wire());
        message.put("message", error.message());
        if (error.field() != null) {
            message.put("field", error.field());
        }
        if (error.retryAfter() != null) {
            message.put("retryAfterMs", error.retryAfter().toMillis());
        }
        if (error.until() != null) {
            message.put("until", error.until().toEpochMilli());
        }
        return message;
    }

    public static void addListing(Map<String, Object> message, Listing listing) {
        message.put("viewerCount", listing.viewerCount());
        message.put("participants", participants(listing.page().participants()));
        message.put("nextCursor", Cursor.write(listing.page().next()));
        message.put("revision", listing.page().revision());
    }

    public static List<Map<String, Object>> participants(List<Participant> participants) {
        return participants.stream().map(Fields::participant).toList();
    }

    public static Map<String, Object> participant(Participant participant) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("userId", participant.user().value());
        message.put("username", participant.username());
        message.put("joinedAt", participant.joinedAt().toEpochMilli());
        message.put("lastActiveAt", participant.lastActiveAt().toEpochMilli());
        return message;
    }
}
