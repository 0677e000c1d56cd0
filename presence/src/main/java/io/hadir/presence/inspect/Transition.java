package io.hadir.presence.inspect;

import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.SocketId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A step in the history of a seat.
 *
 * @param at by Redis' clock; for an expired presence, when a node noticed it
 * @param socket the socket that joined, disconnected or last held the seat; null if that is not known
 * @param node the node that caused or noticed it
 * @param reason why the user is no longer in the room; null if they still are
 */
public record Transition(
        Instant at,
        Kind kind,
        @Nullable SocketId socket,
        String node,
        @Nullable RemovalReason reason) {
    /** The kind of a transition, with the name on the wire. */
    public enum Kind {
        JOINED("joined"),
        /** The user joined again during the grace period. */
        REJOINED("rejoined"),
        /** The presence names another of the user's sockets. */
        MOVED("moved"),
        /** The last socket disconnected: the grace period began. */
        GRACE("grace"),
        /** All the user's sockets are paused: they are away. */
        PAUSED("paused"),
        /** A socket of the user is no longer paused: they are active. */
        RESUMED("resumed"),
        /** The last socket was paused and fell silent: the user is held as away. */
        AWAY("away"),
        /** The server restored the user during the grace period. */
        RESTORED("restored"),
        /** The user is no longer in the room, for any reason. */
        LEFT("left");

        private final String wire;

        Kind(String wire) {
            this.wire = wire;
        }

        public String wire() {
            return wire;
        }

        public static Optional<Kind> fromWire(String text) {
            for (Kind kind : values()) {
                if (kind.wire.equals(text)) {
                    return Optional.of(kind);
                }
            }
            return Optional.empty();
        }
    }
}
