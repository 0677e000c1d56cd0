package io.hadir.server.events;

import io.hadir.presence.Clients;
import io.hadir.presence.PresenceObserver;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomNews;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.SocketMessage;
import io.hadir.socketio.Namespace;
import io.hadir.socketio.Socket;
import java.util.Map;

/** The sockets of a namespace as presence sees them. The sockets in a room are a local group. */
public final class PresenceSockets implements Clients {
    private final Namespace namespace;
    private final PresenceMessages messages;
    private PresenceObserver observer = PresenceObserver.UNSEEN;

    public PresenceSockets(Namespace namespace, PresenceSettings settings) {
        this.namespace = namespace;
        this.messages = new PresenceMessages(settings);
    }

    /** Sets the observer; called once, before the start. */
    public void observe(PresenceObserver newObserver) {
        observer = newObserver;
    }

    @Override
    public void enter(SocketId socket, RoomId room) {
        Socket found = namespace.socket(socket.value());
        if (found != null) {
            found.join(group(room));
        }
    }

    @Override
    public void exit(SocketId socket, RoomId room) {
        Socket found = namespace.socket(socket.value());
        if (found != null) {
            found.leave(group(room));
        }
    }

    @Override
    public void send(SocketId socket, SocketMessage message) {
        Socket found = namespace.socket(socket.value());
        if (found == null) {
            return;
        }
        if (message instanceof SocketMessage.ForceLeave told) {
            observer.forcedOut(told.reason());
            found.emit("room:force-leave", PresenceMessages.forceLeave(told));
        } else if (message instanceof SocketMessage.LeftElsewhere left) {
            found.emit("room:left", Map.of("roomId", left.room().value()));
        } else if (message instanceof SocketMessage.Restored restored) {
            found.emit("room:joined", messages.restored(restored.joined()));
        } else if (message instanceof SocketMessage.Unread unread && mayRead(found, unread.room())) {
            found.emit("room:unread", PresenceMessages.unread(unread));
        } else if (message instanceof SocketMessage.Notification news && mayRead(found, news.room())) {
            found.emit("notification", PresenceMessages.notification(news));
        }
    }

    /** A user's token may be for some rooms only, and then says nothing of the others. */
    private static boolean mayRead(Socket socket, RoomId room) {
        return Identity.of(socket).permits(room);
    }

    @Override
    public void tell(RoomNews news) {
        namespace.broadcast(group(news.room()), "room:presence", PresenceMessages.news(news));
        observer.told(news);
    }

    @Override
    public void disconnect(SocketId socket) {
        Socket found = namespace.socket(socket.value());
        if (found != null) {
            found.disconnect();
        }
    }

    private static String group(RoomId room) {
        return "room:" + room;
    }
}
