package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Disconnects;
import io.hadir.presence.user.UserStatus;
import io.hadir.presence.user.UserStore;
import io.hadir.presence.user.Users;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** {@code /users}: who is online, looks at which room, and was last seen when; and disconnecting a user everywhere. */
public final class UserRoutes {
    private static final int MOST_USERS = 1000;

    private final Users users;
    private final Disconnects disconnects;

    private UserRoutes(Users users, Disconnects disconnects) {
        this.users = users;
        this.disconnects = disconnects;
    }

    public static void add(Api api, Users users, Disconnects disconnects) {
        UserRoutes routes = new UserRoutes(users, disconnects);
        api.get("/users/{userId}", routes::show)
                .post("/users/status", routes::several)
                .post("/users/{userId}/disconnect", routes::disconnect);
    }

    private record Disconnect(UserId user, Optional<String> message, boolean revoke) {}

    private CompletionStage<Answer<Map<String, Object>>> disconnect(ApiCall call) {
        Answer<Disconnect> request = call.userId()
                .flatMap(user -> call.body()
                        .flatMap(body -> body.notice("message")
                                .flatMap(message ->
                                        body.revoke().map(revoke -> new Disconnect(user, message, revoke)))));
        return request.take(
                asked -> call.logged(
                        "Disconnected user " + asked.user + (asked.revoke ? " and revoked their tokens" : ""),
                        disconnects
                                .disconnect(asked.user, asked.message.orElse(null), asked.revoke)
                                .thenApply(answer -> answer.map(expelled -> expelled(asked.user, expelled)))),
                message -> message);
    }

    private static Map<String, Object> expelled(UserId user, UserStore.Expelled expelled) {
        Instant revoked = expelled.revoked();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("userId", user.value());
        message.put("sockets", expelled.sockets());
        message.put("revokedAt", revoked == null ? null : revoked.toEpochMilli());
        return message;
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
