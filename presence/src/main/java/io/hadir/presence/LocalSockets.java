package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;

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
