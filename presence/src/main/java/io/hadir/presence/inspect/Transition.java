package io.hadir.presence.inspect;

import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.SocketId;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Something that became of a user's seat in a room.
 *
 * @param at by Redis' clock; for an end that nobody saw, when it was noticed
 * @param socket the one that came, went or held the seat last; null if that is not known
 * @param node the node that did or noticed it
 * @param reason null if the user did not go
 */
public record Transition(
        Instant at,
        Kind kind,
        @Nullable SocketId socket,
        String node,
        @Nullable LeaveReason reason) {
    /** What became of it, as it is written on the wire. */
    public enum Kind {
        JOINED("joined"),
        /** Joined again inside the grace. */
        REJOINED("rejoined"),
        /** The presence names another of the user's sockets now. */
        MOVED("moved"),
        /** The last socket is gone. */
        GRACE("grace"),
        /** Put back inside the grace without having asked. */
        RESTORED("restored"),
        /** The user is out, for whatever reason. */
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
