package io.hadir.presence.room;

/** The id of a socket on any node: the node's id, a dot, and something that cannot be guessed. */
public record SocketId(String value) {
    /** The node that holds this socket; nothing that a node is called if another program made the id up. */
    public String node() {
        int dot = value.lastIndexOf('.');
        return dot < 0 ? "" : value.substring(0, dot);
    }

    @Override
    public String toString() {
        return value;
    }
}
