package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.ErrorCode;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.UserId;
import io.hadir.server.wire.ErrorJson;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.Json;
import io.hadir.socketio.http.Exchange;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** One call of the HTTP API: reads the request, and writes the answer or the error. */
final class ApiCall {
    private static final Logger LOG = LoggerFactory.getLogger(ApiCall.class);
    private static final String JSON = "application/json";
    private static final PresenceError BUG = PresenceError.of(ErrorCode.INTERNAL, "Something went wrong here.");

    private final Exchange exchange;
    private final ApiGuard guard;
    private final ActionLog actions;

    ApiCall(Exchange exchange, ApiGuard guard, ActionLog actions) {
        this.exchange = exchange;
        this.guard = guard;
        this.actions = actions;
    }

    /** Whether the caller may also change something. */
    boolean mayChange() {
        return exchange.passes(guard.changers());
    }

    /** The room in the path. */
    RoomId roomId() throws RefusedException {
        return RefusedException.valueOf(RoomId.parse(exchange.parameter("roomId")));
    }

    /** The user in the path. */
    UserId userId() throws RefusedException {
        return RefusedException.valueOf(UserId.parse(exchange.parameter("userId")));
    }

    /** The room and the user in the path. */
    Seat seat() throws RefusedException {
        return new Seat(roomId(), userId());
    }

    Query query() {
        return new Query(exchange);
    }

    Payload body() throws RefusedException {
        JsonNode value = exchange.body().isReadable() ? Json.readBytes(exchange.body()) : MissingNode.getInstance();
        if (value == null) {
            throw new RefusedException(PresenceError.invalid(
                    "body", "one JSON object in UTF-8, not deeply nested and without duplicate keys"));
        }
        return new Payload(value);
    }

    /** Whether the request declares its body as JSON. */
    boolean isJson() {
        String type = exchange.requestHeader(HttpHeaderNames.CONTENT_TYPE);
        CharSequence mime = type == null ? null : HttpUtil.getMimeType(type);
        return mime != null && JSON.equalsIgnoreCase(mime.toString());
    }

    /** Records a change once it is made, with the name of the caller's key and the caller's address. */
    <T> CompletionStage<Answer<T>> logged(String change, CompletionStage<Answer<T>> step) {
        String caller = exchange.client().getHostAddress();
        return step.thenApply(answer -> {
            if (answer instanceof Answer.Ok) {
                actions.add(change, guard.changer(), caller);
            }
            return answer;
        });
    }

    /** Handles the call and responds. */
    void answer(Api.Handler handler) {
        handle(handler).whenComplete((answer, failed) -> {
            if (failed != null) {
                LOG.error("An API call failed", failed);
            }
            if (answer instanceof Answer.Ok<?> ok) {
                respond(HttpResponseStatus.OK, ok.value());
            } else {
                refuse(answer instanceof Answer.Refused<?> refused ? refused.error() : BUG);
            }
        });
    }

    private CompletionStage<? extends Answer<?>> handle(Api.Handler handler) {
        try {
            return handler.handle(this);
        } catch (RefusedException refused) {
            return CompletableFuture.completedFuture(Answer.refused(refused.error()));
        }
    }

    private record Failure(ErrorJson error) {}

    private void refuse(PresenceError error) {
        Duration again = error.retryAfter();
        if (again != null) {
            exchange.header(HttpHeaderNames.RETRY_AFTER, Math.max(1, again.toSeconds()));
        }
        respond(status(error.code()), new Failure(ErrorJson.of(error)));
    }

    private void respond(HttpResponseStatus status, Object message) {
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
