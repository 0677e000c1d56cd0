package io.hadir.server.http;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Delivery;
import io.hadir.presence.user.Disconnects;
import io.hadir.presence.user.Message;
import io.hadir.presence.user.UserStatus;
import io.hadir.presence.user.Users;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * {@code /users}: whether users are online, where, and when they were last seen; disconnecting a user everywhere.
 * {@code /rooms/{roomId}/messages}: an app announces a message, so its recipients get unread counters and
 * notifications.
 */
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
                .ask("/users/status", routes::status)
                .post("/users/{userId}/disconnect", routes::disconnect)
                .post("/rooms/{roomId}/messages", routes::message)
                .get("/users/{userId}/unread", routes::unread)
                .delete("/rooms/{roomId}/unread/{userId}", routes::clearUnread);
    }

    /** @param rooms absent in an answer about several users */
    private record User(
            String userId,
            boolean online,
            @Nullable String activeRoom,
            @Nullable Long lastSeen,

            @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable
            List<String> rooms) {
        static User of(UserStatus status) {
            return of(status, null);
        }

        static User of(UserStatus status, @Nullable List<RoomId> rooms) {
            RoomId active = status.activeRoom();
            Instant seen = status.lastSeen();
            return new User(
                    status.user().value(),
                    status.online(),
                    active == null ? null : active.value(),
                    seen == null ? null : (Long) seen.toEpochMilli(),
                    rooms == null ? null : rooms.stream().map(RoomId::value).toList());
        }
    }

    private CompletionStage<Answer<User>> show(ApiCall call) throws RefusedException {
        UserId user = call.userId();
        return users.status(List.of(user))
                .thenCombine(
                        users.rooms(user),
                        (status, rooms) -> status.flatMap(known -> rooms.map(in -> User.of(known.get(0), in))));
    }

    private record UserList(List<User> users) {
        static UserList of(List<UserStatus> users) {
            return new UserList(users.stream().map(User::of).toList());
        }
    }

    private CompletionStage<Answer<UserList>> status(ApiCall call) throws RefusedException {
        List<UserId> asked = call.body().users("userIds", MOST_USERS);
        return users.status(asked).thenApply(answer -> answer.map(UserList::of));
    }

    private record Disconnected(
            String userId, int sockets, @Nullable Long revokedAt) {
        static Disconnected of(UserId user, int sockets, @Nullable Instant revoked) {
            return new Disconnected(user.value(), sockets, revoked == null ? null : (Long) revoked.toEpochMilli());
        }
    }

    private CompletionStage<Answer<Disconnected>> disconnect(ApiCall call) throws RefusedException {
        UserId user = call.userId();
        Payload body = call.body();
        String message = body.notice("message");
        boolean revoke = body.flag("revoke", false);
        return call.logged(
                        "Disconnected user " + user + (revoke ? " and revoked their tokens" : ""),
                        disconnects.disconnect(user, message, revoke))
                .thenApply(answer -> answer.map(done -> Disconnected.of(user, done.sockets(), done.revoked())));
    }

    private record Recipient(String userId, long unread, boolean online, boolean shouldNotify) {
        static Recipient of(Delivery delivery) {
            return new Recipient(
                    delivery.user().value(), delivery.unread(), delivery.online(), delivery.shouldNotify());
        }
    }

    private record Recipients(List<Recipient> results) {
        static Recipients of(List<Delivery> deliveries) {
            return new Recipients(deliveries.stream().map(Recipient::of).toList());
        }
    }

    private CompletionStage<Answer<Recipients>> message(ApiCall call) throws RefusedException {
        RoomId room = call.roomId();
        Payload body = call.body();
        UserId sender = body.user("senderId");
        List<UserId> recipients = body.users("recipients", Message.MOST_RECIPIENTS);
        String data = body.json("data", Message.MOST_DATA_BYTES);
        return users.message(new Message(room, sender, recipients, data))
                .thenApply(answer -> answer.map(Recipients::of));
    }

    private record UnreadByRoom(Map<String, Long> unread, long total) {
        static UnreadByRoom of(Map<RoomId, Long> counters) {
            Map<String, Long> byRoom = new TreeMap<>();
            counters.forEach((room, count) -> byRoom.put(room.value(), count));
            return new UnreadByRoom(
                    byRoom, byRoom.values().stream().mapToLong(Long::longValue).sum());
        }
    }

    private CompletionStage<Answer<UnreadByRoom>> unread(ApiCall call) throws RefusedException {
        return users.unread(call.userId()).thenApply(answer -> answer.map(UnreadByRoom::of));
    }

    private record UnreadInRoom(String roomId, String userId, int unread) {
        static UnreadInRoom cleared(Seat seat) {
            return new UnreadInRoom(seat.room().value(), seat.user().value(), 0);
        }
    }

    private CompletionStage<Answer<UnreadInRoom>> clearUnread(ApiCall call) throws RefusedException {
        Seat seat = call.seat();
        return users.clearUnread(seat.room(), seat.user()).thenApply(answer -> answer.map(UnreadInRoom::cleared));
    }
}
