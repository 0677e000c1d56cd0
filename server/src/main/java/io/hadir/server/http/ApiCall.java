package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.hadir.server.wire.Fields;
import io.hadir.server.wire.Payload;
import io.hadir.socketio.Json;
import io.hadir.socketio.http.Exchange;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;

/** One call of the HTTP API: what was asked, field by field, and how an answer or an error is written. */
final class ApiCall {
    private static final Logger LOG = LoggerFactory.getLogger(ApiCall.class);
    private static final String JSON = "application/json";
    private static final PresenceError BUG = PresenceError.of(ErrorCode.INTERNAL, "Something went wrong here.");

    private final Exchange exchange;
    private final String keyName;

    ApiCall(Exchange exchange, String keyName) {
        this.exchange = exchange;
        this.keyName = keyName;
    }

    /** The room in the path. */
    Answer<RoomId> roomId() {
        return RoomId.parse(exchange.parameter("roomId"));
    }

    /** The user in the path. */
    Answer<UserId> userId() {
        return UserId.parse(exchange.parameter("userId"));
    }

    /** The room and the user in the path. */
    Answer<Seat> seat() {
        return roomId().flatMap(room -> userId().map(user -> new Seat(room, user)));
    }

    Query query() {
        return new Query(exchange);
    }

    Answer<Payload> body() {
        JsonNode value = exchange.body().isReadable() ? Json.readBytes(exchange.body()) : null;
        return value == null
                ? Answer.refused(
                        PresenceError.invalid("body", "one JSON object in UTF-8, neither deep nor with doubled keys"))
                : Answer.ok(new Payload(value));
    }

    /** Whether the body is said to be JSON. */
    boolean isJson() {
        String type = exchange.requestHeader(HttpHeaderNames.CONTENT_TYPE);
        CharSequence mime = type == null ? null : HttpUtil.getMimeType(type);
        return mime != null && JSON.equalsIgnoreCase(mime.toString());
    }

    /** Logs a change once it is made, with the name of the caller's key and their address. */
    <T> CompletionStage<Answer<T>> logged(String change, CompletionStage<Answer<T>> step) {
        String caller = exchange.client().getHostAddress();
        return step.thenApply(answer -> {
            if (answer instanceof Answer.Ok) {
                LOG.info("{} (key: {}, from: {})", change, keyName, caller);
            }
            return answer;
        });
    }

    /** Answers with what a step ends with. */
    void answer(CompletionStage<Answer<Map<String, Object>>> step) {
        step.whenComplete((answer, failed) -> {
            if (failed != null) {
                LOG.error("A call could not be answered", failed);
            }
            if (answer instanceof Answer.Ok<Map<String, Object>> ok) {
                respond(HttpResponseStatus.OK, ok.value());
            } else {
                refuse(answer instanceof Answer.Refused<Map<String, Object>> refused ? refused.error() : BUG);
            }
        });
    }

    private void refuse(PresenceError error) {
        Duration again = error.retryAfter();
        if (again != null) {
            exchange.header(HttpHeaderNames.RETRY_AFTER, Math.max(1, again.toSeconds()));
        }
        respond(status(error.code()), Map.of("error", Fields.error(error)));
    }

    private void respond(HttpResponseStatus status, Map<String, Object> message) {
        exchange.respond(status, JSON, Unpooled.wrappedBuffer(Json.MAPPER.writeValueAsBytes(message)));
    }

    private static HttpResponseStatus status(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> HttpResponseStatus.BAD_REQUEST;
            case UNAUTHENTICATED -> HttpResponseStatus.UNAUTHORIZED;
            case FORBIDDEN, BANNED -> HttpResponseStatus.FORBIDDEN;
            case NOT_FOUND, NOT_IN_ROOM -> HttpResponseStatus.NOT_FOUND;
            case ROOM_FULL -> HttpResponseStatus.CONFLICT;
            case LIMIT_EXCEEDED, RATE_LIMITED -> HttpResponseStatus.TOO_MANY_REQUESTS;
            case PRESENCE_UNAVAILABLE -> HttpResponseStatus.SERVICE_UNAVAILABLE;
            case INTERNAL -> HttpResponseStatus.INTERNAL_SERVER_ERROR;
        };
    }
}
