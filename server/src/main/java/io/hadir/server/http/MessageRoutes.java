package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.user.Delivery;
import io.hadir.presence.user.Message;
import io.hadir.presence.user.Users;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** {@code /rooms/{roomId}/messages}: the app's word that somebody wrote something, and whom to tell. */
public final class MessageRoutes {
    private final Users users;

    private MessageRoutes(Users users) {
        this.users = users;
    }

    public static void add(Api api, Users users) {
        api.post("/rooms/{roomId}/messages", new MessageRoutes(users)::send);
    }

    private CompletionStage<Answer<Map<String, Object>>> send(ApiCall call) {
        Answer<Message> request = call.roomId()
                .flatMap(room -> call.body()
                        .flatMap(body -> body.user("senderId")
                                .flatMap(sender -> body.users("recipients", Message.MOST_RECIPIENTS)
                                        .flatMap(recipients -> body.json("data", Message.MOST_DATA_BYTES)
                                                .map(data ->
                                                        new Message(room, sender, recipients, data.orElse(null)))))));
        return request.take(
                users::message,
                results -> Map.of(
                        "results", results.stream().map(MessageRoutes::fields).toList()));
    }

    private static Map<String, Object> fields(Delivery delivery) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("userId", delivery.user().value());
        message.put("unread", delivery.unread());
        message.put("online", delivery.online());
        message.put("shouldNotify", delivery.shouldNotify());
        return message;
    }
}
