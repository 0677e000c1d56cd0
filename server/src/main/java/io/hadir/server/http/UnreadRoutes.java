package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.user.Users;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;

/** {@code /users/{userId}/unread} and {@code /rooms/{roomId}/unread/{userId}}: what a user has not read yet. */
public final class UnreadRoutes {
    private final Users users;

    private UnreadRoutes(Users users) {
        this.users = users;
    }

    public static void add(Api api, Users users) {
        UnreadRoutes routes = new UnreadRoutes(users);
        api.get("/users/{userId}/unread", routes::show).delete("/rooms/{roomId}/unread/{userId}", routes::clear);
    }

    private CompletionStage<Answer<Map<String, Object>>> show(ApiCall call) {
        return call.userId().take(users::unread, UnreadRoutes::counters);
    }

    private static Map<String, Object> counters(Map<RoomId, Long> unread) {
        Map<String, Long> byRoom = new TreeMap<>();
        unread.forEach((room, count) -> byRoom.put(room.value(), count));
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("unread", byRoom);
        message.put("total", byRoom.values().stream().mapToLong(Long::longValue).sum());
        return message;
    }

    private CompletionStage<Answer<Map<String, Object>>> clear(ApiCall call) {
        return call.seat().take(seat -> users.clearUnread(seat.room(), seat.user()), seat -> {
            Map<String, Object> message = new LinkedHashMap<>();
            message.put("roomId", seat.room().value());
            message.put("userId", seat.user().value());
            message.put("unread", 0);
            return message;
        });
    }
}
