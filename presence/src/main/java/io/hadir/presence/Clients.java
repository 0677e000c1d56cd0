package io.hadir.presence;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import java.util.Map;

/** The clients of this node, by their sockets. Methods do nothing for a socket that is gone. */
public interface Clients {
    /**
     * From now on the socket hears announcements in the room.
     *
     * @param revision of the room when the socket's user was present
     */
    void enter(SocketId socket, RoomId room, long revision);

    void exit(SocketId socket, RoomId room);

    void send(SocketId socket, SocketMessage message);

    /** Sends a change to every socket that entered the room. */
    void announce(RoomNews news);

    /** From now on the socket hears the counts of a lobby. */
    void enterLobby(SocketId socket, long lobby);

    void exitLobby(SocketId socket, long lobby);

    /** Sends counts to every socket that entered the lobby. */
    void announceCounts(long lobby, Map<RoomId, Long> counts);

    /** Ends the connection for good. */
    void disconnect(SocketId socket);

    /** The socket was removed from its last room. Ends the connection for good, unless the client's app keeps it. */
    default void removed(SocketId socket) {
        disconnect(socket);
    }
}
