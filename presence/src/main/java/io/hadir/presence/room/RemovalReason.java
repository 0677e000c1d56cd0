package io.hadir.presence.room;

import java.util.Optional;

/** Why a user is no longer in a room, with the name on the wire. */
public enum RemovalReason {
    /** The user left. */
    LEFT("left"),
    /** The user's last socket disconnected, and a short TTL ran out: a grace period, a restore or the time as away. */
    DISCONNECTED("disconnected"),
    /** The presence expired without a heartbeat. */
    INACTIVITY_TIMEOUT("inactivity_timeout"),
    /** The presence disappeared before it was due to expire, as after a flush. */
    PRESENCE_LOST("presence_lost"),
    /** A backend kicked, banned or disconnected the user, or a new token no longer permits the room. */
    KICKED("kicked"),
    /** The node of the user's socket is gone. */
    SERVER_GONE("server_gone");

    private final String wire;

    RemovalReason(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }

    public static Optional<RemovalReason> fromWire(String text) {
        for (RemovalReason reason : values()) {
            if (reason.wire.equals(text)) {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }
}
