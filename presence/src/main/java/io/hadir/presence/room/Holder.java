package io.hadir.presence.room;

/**
 * The socket that holds a seat, with its turn. Of two steps of one socket, the one with the higher turn is later,
 * even if it reaches Redis first.
 */
public record Holder(SocketId socket, long turn) {
    private static final long FINAL_TURN = (1L << 53) - 1;

    /** A socket that takes no step after this one. */
    public static Holder gone(SocketId socket) {
        return new Holder(socket, FINAL_TURN);
    }
}
