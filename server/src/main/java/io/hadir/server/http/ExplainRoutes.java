package io.hadir.server.http;

import io.hadir.presence.inspect.Explainer;
import io.hadir.presence.inspect.Explanation;
import io.hadir.presence.inspect.SeatRecord;
import io.hadir.presence.inspect.SeatRecord.LivePresence;
import io.hadir.presence.inspect.Transition;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /rooms/{roomId}/participants/{userId}/explain}: why somebody is listed, or was removed. */
public final class ExplainRoutes {
    private final Explainer explainer;

    private ExplainRoutes(Explainer explainer) {
        this.explainer = explainer;
    }

    public static void add(Api api, Explainer explainer) {
        api.get("/rooms/{roomId}/participants/{userId}/explain", new ExplainRoutes(explainer)::explain);
    }

    private CompletionStage<Answer<Map<String, Object>>> explain(ApiCall call) {
        Answer<Seat> seat = call.roomId().flatMap(room -> call.userId().map(user -> new Seat(room, user)));
        return seat.take(explainer::explain, ExplainRoutes::fields);
    }

    private static Map<String, Object> fields(Explanation explanation) {
        SeatRecord record = explanation.record();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("roomId", record.seat().room().value());
        message.put("userId", record.seat().user().value());
        message.put("serverTime", record.seenAt().toEpochMilli());
        message.put("key", record.key());
        message.put("present", record.presence() != null);
        message.put("listed", record.listed());
        message.put("presence", record.presence() == null ? null : presence(record.presence(), explanation));
        message.put(
                "history",
                record.history().stream().map(ExplainRoutes::transition).toList());
        return message;
    }

    private static Map<String, Object> presence(LivePresence presence, Explanation explanation) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("username", presence.participant().username());
        message.put("socketId", presence.named().value());
        message.put("expiresAt", millis(presence.expiresAt()));
        message.put("joinedAt", millis(presence.participant().joinedAt()));
        message.put("lastActiveAt", millis(presence.participant().lastActiveAt()));
        message.put("inGrace", presence.sockets().isEmpty());
        message.put("sockets", sockets(presence, explanation));
        return message;
    }

    private static List<Map<String, Object>> sockets(LivePresence presence, Explanation explanation) {
        return presence.sockets().stream()
                .sorted(Comparator.comparing(SocketId::value))
                .map(socket -> {
                    Map<String, Object> message = new LinkedHashMap<>();
                    message.put("socketId", socket.value());
                    message.put("nodeId", socket.node());
                    message.put(
                            "nodeAlive",
                            explanation
                                    .aliveNodes()
                                    .map(alive -> alive.contains(socket.node()))
                                    .orElse(null));
                    return message;
                })
                .toList();
    }

    private static Map<String, Object> transition(Transition transition) {
        SocketId socket = transition.socket();
        LeaveReason reason = transition.reason();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("at", transition.at().toEpochMilli());
        message.put("what", transition.kind().wire());
        message.put("reason", reason == null ? null : reason.wire());
        message.put("socketId", socket == null ? null : socket.value());
        message.put("nodeId", transition.node());
        return message;
    }

    private static @Nullable Long millis(@Nullable Instant time) {
        return time == null ? null : (Long) time.toEpochMilli();
    }
}
