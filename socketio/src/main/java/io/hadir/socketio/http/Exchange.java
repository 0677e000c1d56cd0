package io.hadir.socketio.http;

import io.hadir.socketio.limit.Slots;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer. The first answer wins and may come from any thread. The body is released when the handler
 * returns; a handler that needs it longer retains it.
 */
public final class Exchange {
    private final HttpConnection connection;
    private final HttpRequest request;
    private final QueryStringDecoder uri;
    private final ByteBuf body;
    private final HttpHeaders answerHeaders = new DefaultHttpHeaders();
    private final AtomicBoolean answered = new AtomicBoolean();
    private volatile @Nullable Runnable onAbandoned;
    private volatile boolean abandoned;
    private Map<String, String> parameters = Map.of();

    Exchange(HttpConnection connection, HttpRequest request, QueryStringDecoder uri, ByteBuf body) {
        this.connection = connection;
        this.request = request;
        this.uri = uri;
        this.body = body;
    }

    public HttpMethod method() {
        return request.method();
    }

    public String path() {
        return uri.path();
    }

    void parameters(Map<String, String> values) {
        parameters = values;
    }

    /** The value of a segment in braces of the route's path. */
    public String parameter(String name) {
        return Objects.requireNonNull(parameters.get(name), name);
    }

    /** All values of a query parameter, in order. */
    public List<String> query(String name) {
        List<String> values = uri.parameters().get(name);
        return values == null ? List.of() : values;
    }

    public @Nullable String requestHeader(CharSequence name) {
        return request.headers().get(name);
    }

    /** Whether a guard would let this request in. */
    public boolean passes(Guard guard) {
        InetSocketAddress peer = (InetSocketAddress) channel().remoteAddress();
        return guard.refusal(request.headers(), peer) == null;
    }

    public ByteBuf body() {
        return body;
    }

    /** The client's address: the peer's, unless a trusted proxy names another. */
    public InetAddress client() {
        return connection.client(request);
    }

    /** Whether the peer is a trusted proxy, whose connection may carry requests of many clients. */
    public boolean isProxied() {
        return connection.isProxied();
    }

    /** The connection's slot. If marked as known it stays so until the answer, or for as long as a WebSocket lasts. */
    public Slots.Slot slot() {
        return connection.slot();
    }

    public Channel channel() {
        return connection.channel();
    }

    /** Sets a header of the answer. */
    public Exchange header(CharSequence name, Object value) {
        answerHeaders.set(name, value);
        return this;
    }

    /** Sets what runs once if the client disconnects before the answer; runs it at once if that has happened. */
    public void onAbandoned(Runnable action) {
        onAbandoned = action;
        if (abandoned) {
            abandoned();
        }
    }

    public void respond(HttpResponseStatus status, CharSequence contentType, String text) {
        respond(status, contentType, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    /** Answers and takes ownership of the content. */
    public void respond(HttpResponseStatus status, CharSequence contentType, ByteBuf content) {
        if (!answered.compareAndSet(false, true)) {
            content.release();
            return;
        }
        onAbandoned = null;
        ByteBuf sent = content;
        int length = content.readableBytes();
        if (method().equals(HttpMethod.HEAD)) {
            content.release();
            sent = Unpooled.EMPTY_BUFFER;
        }
        FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, status, sent);
        HttpHeaders headers = response.headers();
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
        if (!status.equals(HttpResponseStatus.NO_CONTENT) && !status.equals(HttpResponseStatus.NOT_MODIFIED)) {
            headers.set(HttpHeaderNames.CONTENT_TYPE, contentType);
            headers.set(HttpHeaderNames.CONTENT_LENGTH, length);
        }
        headers.setAll(answerHeaders);
        connection.answer(response, HttpUtil.isKeepAlive(request) && HttpUtil.isKeepAlive(response));
    }

    /** Answers with an error as JSON. Code and message must not contain text from the client. */
    public void respondError(HttpResponseStatus status, String code, String message) {
        respond(status, "application/json", "{\"error\":{\"code\":\"" + code + "\",\"message\":\"" + message + "\"}}");
    }

    public boolean wantsWebSocket() {
        HttpHeaders headers = request.headers();
        return method().equals(HttpMethod.GET)
                && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && headers.containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    }

    /**
     * Answers by turning the connection into a WebSocket. Its frames, of up to {@code maxFrameBytes}, go to the given
     * handler, which may write after the event {@link WebSocketHandshake.Opened}.
     */
    public void upgrade(int maxFrameBytes, ChannelHandler frames) {
        if (answered.compareAndSet(false, true)) {
            onAbandoned = null;
            connection.upgrade(request, maxFrameBytes, frames);
        }
    }

    void abandoned() {
        abandoned = true;
        Runnable action = onAbandoned;
        onAbandoned = null;
        if (action != null && answered.compareAndSet(false, true)) {
            action.run();
        }
    }
}
