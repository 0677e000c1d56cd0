package io.hadir.http;

import io.hadir.presence.Answer;
import io.hadir.presence.RoomId;
import io.hadir.presence.UserId;
import io.hadir.user.UserStatus;
import io.hadir.user.Users;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** {@code /users}: who is online, looks at which room, and was last seen when. */
public final class UserRoutes {
    private static final int MOST_USERS = 1000;

    private final Users users;

    private UserRoutes(Users users) {
        this.users = users;
    }

    public static void add(Api api, Users users) {
        UserRoutes routes = new UserRoutes(users);
        api.get("/users/{userId}", routes::show).post("/users/status", routes::several);
    }

    private CompletionStage<Answer<Map<String, Object>>> show(ApiCall call) {
        return call.userId().take(this::look, message -> message);
    }

    private CompletionStage<Answer<Map<String, Object>>> look(UserId user) {
        return users.status(List.of(user))
                .thenCombine(
                        users.rooms(user),
                        (status, rooms) -> status.flatMap(known -> rooms.map(in -> {
                            Map<String, Object> message = fields(known.get(0));
                            message.put("rooms", in.stream().map(RoomId::value).toList());
                            return message;
                        })));
    }

    private CompletionStage<Answer<Map<String, Object>>> several(ApiCall call) {
        Answer<List<UserId>> request = call.body().flatMap(body -> body.users("userIds", MOST_USERS));
        return request.take(
                users::status,
                known -> Map.of("users", known.stream().map(UserRoutes::fields).toList()));
    }

    private static Map<String, Object> fields(UserStatus status) {
        RoomId room = status.activeRoom();
        Instant seen = status.lastSeen();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("userId", status.user().value());
        message.put("online", status.online());
        message.put("activeRoom", room == null ? null : room.value());
        message.put("lastSeen", seen == null ? null : seen.toEpochMilli());
        return message;
    }
}
