package io.hadir.presence.room;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An entry in a room's list: a user as others see them.
 *
 * @param data what the app shows about them, a JSON object; null if there is none
 * @param evidence why the user is listed, null unless asked for
 */
public record Participant(
        UserId user,
        String username,
        Instant joinedAt,
        Instant lastActiveAt,
        State state,
        @Nullable String data,
        @Nullable Evidence evidence) {
    /** Whether the app of a user is in front of them. */
    public enum State {
        ACTIVE("active"),
        /** Their app went to the background on all their devices. */
        AWAY("away");

        private final String wire;

        State(String wire) {
            this.wire = wire;
        }

        public String wire() {
            return wire;
        }
    }

    /** An active user without data. */
    public Participant(UserId user, String username, Instant joinedAt, Instant lastActiveAt) {
        this(user, username, joinedAt, lastActiveAt, State.ACTIVE, null, null);
    }

    /** The same participant, last active at another time. */
    public Participant lastActive(Instant at) {
        return new Participant(user, username, joinedAt, at, state, data, evidence);
    }

    /** The place in the room's list. */
    public Position position() {
        return new Position(joinedAt, user);
    }

    /**
     * Why a user is listed.
     *
     * @param socket the socket that the presence names, null if it names none
     * @param remaining how long the presence lives unless it is renewed, null if it does not expire
     * @param inGrace whether the user's last socket disconnected, so that only the grace period keeps them
     * @param held whether the user is held as away: their last socket was paused and fell silent
     */
    public record Evidence(
            @Nullable SocketId socket, @Nullable Duration remaining, boolean inGrace, boolean held) {}
}
