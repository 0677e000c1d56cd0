package io.hadir.presence.room;

/** The id of a socket on any node: the node's id, a dot, and an unguessable part. */
public record SocketId(String value) {
    /** The id of the socket's node; empty if Hadir did not make this id. */
    public String node() {
        int dot = value.lastIndexOf('.');
        return dot < 0 ? "" : value.substring(0, dot);
    }

    @Override
    public String toString() {
        return value;
    }
}
