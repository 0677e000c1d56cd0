package io.hadir.redis.user;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.UserStore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.util.RawValue;

/**
 * The messages about users on a node's channel. Scripts send {@code {user, room, unread}} for a new count, {@code
 * {room, socket, turn}} for a socket that focuses a room its user was removed from, {@code {out, message}} for sockets
 * to disconnect, {@code {lead}} for a user that the node leads from now on, and {@code {watched}} for a watched user
 * who came online or went offline. Nodes send {@code {room, sender, data, users}} for a chat message, where {@code
 * users} has everyone's count.
 */
final class UserMessage {
    private static final Logger LOG = LoggerFactory.getLogger(UserMessage.class);
    private static final JsonMapper JSON = JsonMapper.shared();

    private UserMessage() {}

    static String write(UserStore.News news) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("room", news.room().value());
        message.put("sender", news.sender().value());
        if (news.data() != null) {
            message.put("data", new RawValue(news.data()));
        }
        Map<String, Long> users = new LinkedHashMap<>();
        news.unread().forEach((user, unread) -> users.put(user.value(), unread));
        message.put("users", users);
        return JSON.writeValueAsString(message);
    }

    static void dispatch(String text, UserStore.Listener listener) {
        try {
            JsonNode message = JSON.readTree(text);
            if (message.path("out").isArray()) {
                List<SocketId> sockets = new ArrayList<>();
                message.get("out").forEach(socket -> sockets.add(new SocketId(socket.asString(""))));
                listener.disconnected(sockets, message.path("message").asString(""));
                return;
            }
            if (message.has("lead")) {
                listener.leads(new UserId(message.path("lead").asString("")));
                return;
            }
            if (message.has("watched")) {
                listener.watched(new UserId(message.path("watched").asString("")));
                return;
            }
            RoomId room = new RoomId(message.path("room").asString(""));
            if (message.has("users")) {
                listener.notified(news(room, message));
            } else if (message.has("socket")) {
                SocketId socket = new SocketId(message.path("socket").asString(""));
                listener.blurred(socket, Long.parseLong(message.path("turn").asString("")), room);
            } else if (message.has("user")) {
                UserId user = new UserId(message.path("user").asString(""));
                listener.unread(user, room, message.path("unread").asLong(0));
            }
        } catch (JacksonException | IllegalArgumentException malformed) {
            // The text may contain what a user typed, so it is not logged.
            LOG.warn(
                    "ignored a malformed message about a user ({})",
                    malformed.getClass().getSimpleName());
        }
    }

    private static UserStore.News news(RoomId room, JsonNode message) {
        Map<UserId, Long> unread = new LinkedHashMap<>();
        message.get("users")
                .properties()
                .forEach(user ->
                        unread.put(new UserId(user.getKey()), user.getValue().asLong(0)));
        JsonNode data = message.get("data");
        return new UserStore.News(
                room,
                new UserId(message.path("sender").asString("")),
                data == null ? null : JSON.writeValueAsString(data),
                unread);
    }
}
