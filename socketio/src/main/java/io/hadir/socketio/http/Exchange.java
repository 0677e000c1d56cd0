package io.hadir.socketio.http;

import io.hadir.socketio.limit.Places;
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
 * One request and its one answer. The first answer wins; it may be given from any thread. The body is released when the
 * handler returns, so who needs it longer retains it.
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

    void parameters(Map<String, String> found) {
        parameters = found;
    }

    /** What a segment in braces of the route's path stands for. */
    public String parameter(String name) {
        return Objects.requireNonNull(parameters.get(name), name);
    }

    /** Every value of a query parameter, in order; empty if it is not there. */
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

    /** The address of the client, which is the peer's unless a trusted proxy names another. */
    public InetAddress client() {
        return connection.client(request);
    }

    /** Whether the connection is a trusted proxy's, which may carry requests of many clients. */
    public boolean isProxied() {
        return connection.isProxied();
    }

    /** The place of the connection. If made known it stays so until the answer; a WebSocket keeps it. */
    public Places.Place place() {
        return connection.place();
    }

    /** The connection under this exchange. */
    public Channel channel() {
        return connection.channel();
    }

    /** Sets a header of the answer, whichever it will be. */
    public Exchange header(CharSequence name, Object value) {
        answerHeaders.set(name, value);
        return this;
    }

    /** Runs once if the client goes away before it was answered; at once if it is gone already. */
    public void onAbandoned(Runnable action) {
        onAbandoned = action;
        if (abandoned) {
            abandoned();
        }
    }

    public void respond(HttpResponseStatus status, CharSequence contentType, String text) {
        respond(status, contentType, Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
    }

    /** Answers, and takes over the content. */
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

    /** Answers with the error body of the HTTP API. Code and message are our own words, never the client's. */
    public void respondError(HttpResponseStatus status, String code, String message) {
        respond(status, "application/json", "{\"error\":{\"code\":\"" + code + "\",\"message\":\"" + message + "\"}}");
    }

    /** Whether the client asks for a WebSocket. */
    public boolean wantsWebSocket() {
        HttpHeaders headers = request.headers();
        return method().equals(HttpMethod.GET)
                && headers.containsValue(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE, true)
                && headers.containsValue(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET, true);
    }

    /**
     * Answers by turning the connection into a WebSocket whose frames, none longer than {@code maxFrameBytes}, go to
     * the given handler. It is told by {@link WebSocketHandshake.Opened} when it may write.
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
