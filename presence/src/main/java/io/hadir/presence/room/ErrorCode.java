package io.hadir.presence.room;

/** Why a client is refused, with the name on the wire. */
public enum ErrorCode {
    INVALID_ARGUMENT("invalid_argument"),
    UNAUTHENTICATED("unauthenticated"),
    FORBIDDEN("forbidden"),
    NOT_IN_ROOM("not_in_room"),
    NOT_FOUND("not_found"),
    ROOM_FULL("room_full"),
    LIMIT_EXCEEDED("limit_exceeded"),
    BANNED("banned"),
    RATE_LIMITED("rate_limited"),
    PRESENCE_UNAVAILABLE("presence_unavailable"),
    INTERNAL("internal");

    private final String wire;

    ErrorCode(String wire) {
        this.wire = wire;
    }

    public String wire() {
        return wire;
    }
}
