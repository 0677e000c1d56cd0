package io.hadir.presence.room;

import java.util.Optional;

/** Why a user is not in a room any more, as it is written on the wire. */
public enum LeaveReason {
    /** The user said so. */
    LEFT("left"),
    /** The last socket was gone for longer than the grace. */
    DISCONNECTED("disconnected"),
    /** No heartbeat for the room's TTL. */
    INACTIVITY_TIMEOUT("inactivity_timeout"),
    /** The presence was gone before its time. */
    PRESENCE_LOST("presence_lost"),
    /** A backend said so. */
    KICKED("kicked"),
    /** The server that held the socket is gone. */
    SERVER_GONE("server_gone");

    private final String wire;

    LeaveReason(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }

    public static Optional<LeaveReason> fromWire(String text) {
        for (LeaveReason reason : values()) {
            if (reason.wire.equals(text)) {
                return Optional.of(reason);
            }
        }
        return Optional.empty();
    }
}
