package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.socketio.http.Refusal;
import io.hadir.socketio.http.Router;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** Where the resources of the HTTP API put their calls: below {@code /api/v1}, JSON in and out. */
public final class Api {
    private static final String BASE = "/api/v1";
    private static final int MAX_BODY_BYTES = 2 * 1024 * 1024;
    private static final Refusal NOT_JSON = new Refusal(
            HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", "A body here is application/json.");

    private final Router router;
    private final String keyName;

    /**
     * Calls that are not there yet.
     *
     * @param keyName by what name the log knows the key that callers have
     */
    public Api(Router router, String keyName) {
        this.router = router;
        this.keyName = keyName;
    }

    /** Answers one kind of call, now or later. */
    interface Handler {
        CompletionStage<Answer<Map<String, Object>>> handle(ApiCall call);
    }

    Api get(String path, Handler handler) {
        return bare(HttpMethod.GET, path, handler);
    }

    Api delete(String path, Handler handler) {
        return bare(HttpMethod.DELETE, path, handler);
    }

    Api post(String path, Handler handler) {
        return withBody(HttpMethod.POST, path, handler);
    }

    Api put(String path, Handler handler) {
        return withBody(HttpMethod.PUT, path, handler);
    }

    /** Some programs send a body with everything; it means nothing here. */
    private Api bare(HttpMethod method, String path, Handler handler) {
        router.route(method, BASE + path, MAX_BODY_BYTES, exchange -> {
            ApiCall call = new ApiCall(exchange, keyName);
            call.answer(handler.handle(call));
        });
        return this;
    }

    private Api withBody(HttpMethod method, String path, Handler handler) {
        router.route(method, BASE + path, MAX_BODY_BYTES, exchange -> {
            ApiCall call = new ApiCall(exchange, keyName);
            if (call.isJson()) {
                call.answer(handler.handle(call));
            } else {
                NOT_JSON.handle(exchange);
            }
        });
        return this;
    }
}
