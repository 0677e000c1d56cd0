package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.server.auth.ApiKeys;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.http.Exchange;
import io.hadir.socketio.http.Guard;
import io.hadir.socketio.http.Refusal;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Registers the calls of the HTTP API below {@code /api/v1}, with JSON in and out. */
public final class Api {
    private static final String BASE = "/api/v1";
    private static final int MAX_BODY_BYTES = 2 * 1024 * 1024;
    private static final Refusal NOT_JSON = new Refusal(
            HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "The body must be application/json.");

    private static final Refusal READ_ONLY =
            new Refusal(HttpResponseStatus.FORBIDDEN, "forbidden", "This key may only read.");

    private final Router router;
    private final ApiGuard guard;
    private final ActionLog actions;
    private final Guard changes;

    /**
     * @param guard says who may change something; whether a caller may call at all was decided before
     * @param actions records what was changed
     */
    public Api(Router router, ApiGuard guard, ActionLog actions) {
        this.router = router;
        this.guard = guard;
        this.actions = actions;
        this.changes = guard.with(ApiKeys.Right.CHANGE);
    }

    /** Reads a request and takes its step. The value of a good answer is written as JSON. */
    interface Handler {
        CompletionStage<? extends Answer<?>> handle(ApiCall call) throws RefusedException;
    }

    Api get(String path, Handler handler) {
        return route(HttpMethod.GET, path, exchange -> withoutBody(exchange, handler));
    }

    /** A POST that only reads: its question is too long for a path. */
    Api ask(String path, Handler handler) {
        return route(HttpMethod.POST, path, exchange -> withBody(exchange, handler));
    }

    Api delete(String path, Handler handler) {
        return route(HttpMethod.DELETE, path, guarded(exchange -> withoutBody(exchange, handler)));
    }

    Api post(String path, Handler handler) {
        return route(HttpMethod.POST, path, guarded(exchange -> withBody(exchange, handler)));
    }

    Api put(String path, Handler handler) {
        return route(HttpMethod.PUT, path, guarded(exchange -> withBody(exchange, handler)));
    }

    private Api route(HttpMethod method, String path, Consumer<Exchange> handler) {
        router.route(method, BASE + path, MAX_BODY_BYTES, handler);
        return this;
    }

    private Consumer<Exchange> guarded(Consumer<Exchange> change) {
        return exchange -> {
            if (exchange.passes(changes)) {
                change.accept(exchange);
            } else {
                READ_ONLY.handle(exchange);
            }
        };
    }

    /** Ignores a body, because some clients send one with every request. */
    private void withoutBody(Exchange exchange, Handler handler) {
        new ApiCall(exchange, guard, actions).answer(handler);
    }

    /** A call whose fields are all optional needs no body. */
    private void withBody(Exchange exchange, Handler handler) {
        ApiCall call = new ApiCall(exchange, guard, actions);
        if (call.isJson() || !exchange.body().isReadable()) {
            call.answer(handler);
        } else {
            NOT_JSON.handle(exchange);
        }
    }
}
