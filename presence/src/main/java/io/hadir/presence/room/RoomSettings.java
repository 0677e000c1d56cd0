package io.hadir.presence.room;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a backend has set for one room; null where the server's settings apply.
 *
 * @param ttl how long a presence lives without a heartbeat
 * @param away how long a user whose paused socket fell silent stays
 * @param inactivityMessage the text for users whose presence expired
 * @param maxParticipants the most users that may be in the room
 */
public record RoomSettings(
        @Nullable Duration ttl,
        @Nullable Duration away,
        @Nullable String inactivityMessage,
        @Nullable Integer maxParticipants) {
    public static final RoomSettings NONE = new RoomSettings(null, null, null);

    /** Settings with the server's time for users who are away. */
    public RoomSettings(@Nullable Duration ttl, @Nullable String inactivityMessage, @Nullable Integer maxParticipants) {
        this(ttl, null, inactivityMessage, maxParticipants);
    }

    /** The expected values of {@code maxParticipants}. */
    public static final String PARTICIPANTS_EXPECTED = "a whole number from 1 to 1000000000";

    /** The expected values of {@code awaySeconds}. */
    public static final String AWAY_EXPECTED = "whole seconds from 1 to 2592000";

    private static final Duration SHORTEST_AWAY = Duration.ofSeconds(1);
    private static final int MOST_PARTICIPANTS = 1_000_000_000;
    private static final Duration LONGEST_TTL = Duration.ofDays(30);

    /** These settings, or {@code invalid_argument} if they do not fit those of the server. */
    public Answer<RoomSettings> checked(PresenceSettings server) {
        if (ttl != null && (ttl.compareTo(server.grace()) <= 0 || ttl.compareTo(LONGEST_TTL) > 0)) {
            return Answer.refused(PresenceError.invalid(
                    "ttlSeconds",
                    "whole seconds, more than the grace period of "
                            + server.grace().toSeconds() + ", at most " + LONGEST_TTL.toSeconds()));
        }
        if (away != null && (away.compareTo(SHORTEST_AWAY) < 0 || away.compareTo(LONGEST_TTL) > 0)) {
            return Answer.refused(PresenceError.invalid("awaySeconds", AWAY_EXPECTED));
        }
        if (inactivityMessage != null && !Notice.isValid(inactivityMessage)) {
            return Answer.refused(PresenceError.invalid("inactivityMessage", Notice.EXPECTED));
        }
        if (maxParticipants != null && (maxParticipants < 1 || maxParticipants > MOST_PARTICIPANTS)) {
            return Answer.refused(PresenceError.invalid("maxParticipants", PARTICIPANTS_EXPECTED));
        }
        return Answer.ok(this);
    }
}
