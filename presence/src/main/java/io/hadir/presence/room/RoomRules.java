package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The rules of one room: its settings, or else those of the server.
 *
 * @param inactivityMessage the room's own text, null if it has none
 */
public record RoomRules(Duration ttl, @Nullable String inactivityMessage) {
    private static final String NOT_IN_ROOM = "You are not in the chatroom";
    private static final String KICKED = "You have been removed from the chatroom";

    /** The text for a user who was removed for this reason. */
    public String message(LeaveReason reason, PresenceSettings settings) {
        return switch (reason) {
            case KICKED -> KICKED;
            case INACTIVITY_TIMEOUT -> inactivity(settings);
            default -> NOT_IN_ROOM;
        };
    }

    private String inactivity(PresenceSettings settings) {
        if (inactivityMessage != null) {
            return inactivityMessage;
        }
        if (settings.inactivityMessage() != null) {
            return settings.inactivityMessage();
        }
        return "You have been logged out due to inactivity (" + inWords(ttl) + " without activity)";
    }

    private static String inWords(Duration time) {
        long seconds = time.toSeconds();
        if (seconds % 3600 == 0) {
            return seconds / 3600 + "+ hours";
        }
        return seconds % 60 == 0 ? seconds / 60 + "+ minutes" : seconds + "+ seconds";
    }
}
