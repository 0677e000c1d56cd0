package io.hadir.server.events;

import io.hadir.presence.Clients;
import io.hadir.presence.PresenceObserver;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.server.wire.Texts;
import io.hadir.socketio.Socket;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sockets of this node as presence sees them. The sockets in a room are a group. */
public final class PresenceSockets implements Clients {
    private static final String ROOM = "room:";

    private final List<Sockets> sockets;
    private final PresenceSettings settings;
    private final Texts texts;
    private PresenceObserver observer = PresenceObserver.UNSEEN;

    public PresenceSockets(List<Sockets> sockets, PresenceSettings settings, Texts texts) {
        this.sockets = List.copyOf(sockets);
        this.settings = settings;
        this.texts = texts;
    }

    /** Sets the observer; called once, before the start. */
    public void observe(PresenceObserver newObserver) {
        observer = newObserver;
    }

    @Override
    public void enter(SocketId id, RoomId room, long revision) {
        sockets.forEach(some -> some.enter(id.value(), group(room), revision));
    }

    @Override
    public void exit(SocketId id, RoomId room) {
        Socket socket = socket(id);
        if (socket != null) {
            socket.leave(group(room));
        }
    }

    @Override
    public void send(SocketId id, SocketMessage message) {
        Socket socket = socket(id);
        if (socket == null) {
            return;
        }
        if (message instanceof SocketMessage.ForceLeave leave) {
            observer.forceLeave(leave.reason());
            socket.emit(
                    "room:force-leave",
                    PresenceMessages.ForceLeave.of(
                            leave, texts.of(leave, Identity.of(socket).language())));
        } else if (message instanceof SocketMessage.LeftElsewhere left) {
            socket.emit("room:left", PresenceMessages.LeftElsewhere.of(left));
        } else if (message instanceof SocketMessage.Restored restored) {
            socket.emit("room:joined", PresenceMessages.Joined.of(restored.joined(), settings, true));
        } else if (message instanceof SocketMessage.Expiring expiring) {
            socket.emit("room:expiring", PresenceMessages.Expiring.of(expiring));
        } else if (message instanceof SocketMessage.Statuses statuses) {
            socket.emit("users:status", PresenceMessages.Statuses.of(statuses.users()));
        } else if (message instanceof SocketMessage.Unread unread && mayRead(socket, unread.room())) {
            socket.emit("room:unread", PresenceMessages.Unread.of(unread));
        } else if (message instanceof SocketMessage.Notification notification && mayRead(socket, notification.room())) {
            socket.emit("notification", PresenceMessages.Notification.of(notification));
        }
    }

    /** A token for some rooms only must not reveal anything about the user's other rooms. */
    private static boolean mayRead(Socket socket, RoomId room) {
        return Identity.of(socket).permits(room);
    }

    @Override
    public void announce(RoomNews news) {
        String group = group(news.room());
        PresenceMessages.RoomPresence message = PresenceMessages.RoomPresence.of(news);
        sockets.forEach(some -> some.broadcast(group, PresenceEvents.NEWS, message));
        observer.announced(news);
    }

    @Override
    public void enterLobby(SocketId id, long lobby) {
        Socket socket = socket(id);
        if (socket != null) {
            socket.join(lobbyGroup(lobby));
        }
    }

    @Override
    public void exitLobby(SocketId id, long lobby) {
        Socket socket = socket(id);
        if (socket != null) {
            socket.leave(lobbyGroup(lobby));
        }
    }

    @Override
    public void announceCounts(long lobby, Map<RoomId, Long> counts) {
        PresenceMessages.Counts message = PresenceMessages.Counts.of(counts);
        sockets.forEach(some -> some.broadcast(lobbyGroup(lobby), "rooms:counts", message));
    }

    private static String lobbyGroup(long lobby) {
        return "lobby:" + lobby;
    }

    @Override
    public void disconnect(SocketId id) {
        Socket socket = socket(id);
        if (socket != null) {
            socket.disconnect();
        }
    }

    @Override
    public void removed(SocketId id) {
        sockets.forEach(some -> some.removed(id.value()));
    }

    private @Nullable Socket socket(SocketId id) {
        for (Sockets some : sockets) {
            Socket found = some.socket(id.value());
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private static String group(RoomId room) {
        return ROOM + room;
    }

    /** The room whose local sockets are in this group; null if it is the group of a lobby. */
    public static @Nullable String roomOf(String group) {
        return group.startsWith(ROOM) ? group.substring(ROOM.length()) : null;
    }
}
