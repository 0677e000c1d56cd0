package io.hadir.presence;

/** The sockets of this node, as far as presence needs them. Methods do nothing for a socket that is gone. */
public interface LocalSockets {
    /** From now on the socket hears what is told to the room. */
    void enter(SocketId socket, RoomId room);

    void exit(SocketId socket, RoomId room);

    void send(SocketId socket, SocketMessage message);

    /** Tells every socket that entered the room. */
    void tell(RoomNews news);

    /** Ends the connection for good. */
    void disconnect(SocketId socket);
}
