package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.http.Refusal;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.concurrent.CompletionStage;

/** Registers the calls of the HTTP API below {@code /api/v1}, with JSON in and out. */
public final class Api {
    private static final String BASE = "/api/v1";
    private static final int MAX_BODY_BYTES = 2 * 1024 * 1024;
    private static final Refusal NOT_JSON = new Refusal(
            HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "The body must be application/json.");

    private final Router router;
    private final String keyName;

    /** @param keyName the name of the callers' API key in the log */
    public Api(Router router, String keyName) {
        this.router = router;
        this.keyName = keyName;
    }

    /** Reads a request and takes its step. The value of a good answer is written as JSON. */
    interface Handler {
        CompletionStage<? extends Answer<?>> handle(ApiCall call) throws RefusedException;
    }

    Api get(String path, Handler handler) {
        return withoutBody(HttpMethod.GET, path, handler);
    }

    Api delete(String path, Handler handler) {
        return withoutBody(HttpMethod.DELETE, path, handler);
    }

    Api post(String path, Handler handler) {
        return withBody(HttpMethod.POST, path, handler);
    }

    Api put(String path, Handler handler) {
        return withBody(HttpMethod.PUT, path, handler);
    }

    /** Ignores a body, because some clients send one with every request. */
    private Api withoutBody(HttpMethod method, String path, Handler handler) {
        router.route(method, BASE + path, MAX_BODY_BYTES, exchange -> new ApiCall(exchange, keyName).answer(handler));
        return this;
    }

    private Api withBody(HttpMethod method, String path, Handler handler) {
        router.route(method, BASE + path, MAX_BODY_BYTES, exchange -> {
            ApiCall call = new ApiCall(exchange, keyName);
            if (call.isJson()) {
                call.answer(handler);
            } else {
                NOT_JSON.handle(exchange);
            }
        });
        return this;
    }
}
