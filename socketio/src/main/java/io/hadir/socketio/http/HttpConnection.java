package io.hadir.socketio.http;

import io.hadir.socketio.limit.Slots;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.QueryStringDecoder;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One HTTP connection: assembles requests within limits and deadlines, has them answered one at a time, and notices
 * when the client disconnects meanwhile. All state belongs to the connection's event loop.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

    /** Parts of pipelined requests that may wait while one is answered. Real clients need fewer. */
    private static final int MAX_WAITING = 16;

    /** How long a client may take to close after its last answer. */
    private static final Duration LINGER = Duration.ofSeconds(2);

    private static final String MALFORMED = "malformed_request";

    private final Router router;
    private final HttpServer.Timeouts timeouts;
    private final Proxies proxies;
    private final Slots.Slot slot;
    private @Nullable ChannelHandlerContext context;

    private @Nullable HttpRequest head;
    private @Nullable QueryStringDecoder uri;
    private @Nullable HttpHandler handler;
    private @Nullable ByteBuf body;
    private @Nullable Exchange current;
    private @Nullable ArrayDeque<HttpObject> waiting;
    private @Nullable Future<?> deadline;
    private boolean closing;

    HttpConnection(Router router, HttpServer.Timeouts timeouts, Proxies proxies, Slots.Slot slot) {
        this.router = router;
        this.timeouts = timeouts;
        this.proxies = proxies;
        this.slot = slot;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        this.context = context;
        expectWithin(timeouts.head());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (closing || !(message instanceof HttpObject part)) {
            ReferenceCountUtil.release(message);
        } else if (current != null) {
            holdBack(part);
        } else {
            receive(part);
        }
    }

    private void holdBack(HttpObject part) {
        if (waiting == null) {
            waiting = new ArrayDeque<>();
        }
        waiting.add(part);
        if (waiting.size() > MAX_WAITING) {
            context().close();
        }
    }

    private void receive(HttpObject part) {
        try {
            if (part.decoderResult().isFailure()) {
                refuse(unreadable(part.decoderResult().cause()));
                return;
            }
            if (part instanceof HttpRequest request) {
                begin(request);
            }
            if (!closing && part instanceof HttpContent content) {
                append(content.content());
                if (!closing && part instanceof LastHttpContent) {
                    complete();
                }
            }
        } finally {
            ReferenceCountUtil.release(part);
        }
    }

    private static Refusal unreadable(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return new Refusal(HttpResponseStatus.REQUEST_URI_TOO_LONG, MALFORMED, "The address is too long.");
        }
        return cause instanceof TooLongHttpHeaderException
                ? new Refusal(
                        HttpResponseStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, MALFORMED, "The headers are too long.")
                : new Refusal(HttpResponseStatus.BAD_REQUEST, MALFORMED, "This is not HTTP/1.1.");
    }

    private void begin(HttpRequest request) {
        if (!context().channel().isWritable()) {
            // The client keeps sending requests and does not read the answers.
            closing = true;
            context().close();
            return;
        }
        slot.touch();
        head = request;
        // By default Netty would take a semicolon in a value for a separator.
        uri = QueryStringDecoder.builder().semicolonIsNormalChar(true).build(request.uri());
        try {
            handler = router.handlerOf(request.method(), uri.rawPath(), request.headers(), peer());
            uri.parameters();
            if (!(handler instanceof Refusal)) {
                requireUnambiguous(request.uri());
            }
        } catch (IllegalArgumentException e) {
            refuse(HttpResponseStatus.BAD_REQUEST, MALFORMED, "The address is not percent-encoded text.");
            return;
        }
        if (!request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && !request.protocolVersion().equals(HttpVersion.HTTP_1_0)) {
            refuse(HttpResponseStatus.HTTP_VERSION_NOT_SUPPORTED, MALFORMED, "Only HTTP/1.1 is supported.");
        } else if (!hasOneHost(request)) {
            refuse(HttpResponseStatus.BAD_REQUEST, MALFORMED, "A request needs exactly one Host header.");
        } else if (handler instanceof Refusal refusal && hasBody(request)) {
            refuse(refusal);
        } else if (request.headers().contains(HttpHeaderNames.CONTENT_ENCODING)) {
            refuse(
                    HttpResponseStatus.UNSUPPORTED_MEDIA_TYPE,
                    "unsupported_media_type",
                    "Bodies must not be compressed.");
        } else if (HttpUtil.getContentLength(request, 0L) > handler.maxBodyBytes()) {
            refuseBody(handler);
        } else {
            if (HttpUtil.is100ContinueExpected(request)) {
                context()
                        .writeAndFlush(new DefaultFullHttpResponse(
                                HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
            }
            expectWithin(timeouts.body());
        }
    }

    /**
     * Checks that a URI can be decoded to one text only: ASCII, whose percent-encoded bytes are UTF-8. Otherwise two
     * different URIs could name the same resource.
     *
     * @throws IllegalArgumentException if it cannot
     */
    private static void requireUnambiguous(String uri) {
        ByteBuffer bytes = ByteBuffer.allocate(uri.length());
        boolean encoded = false;
        for (int i = 0; i < uri.length(); i++) {
            char c = uri.charAt(i);
            if (c > '~') {
                throw new IllegalArgumentException("not ASCII");
            }
            if (c == '%') {
                encoded = true;
                int high = i + 2 < uri.length() ? Character.digit(uri.charAt(i + 1), 16) : -1;
                int low = i + 2 < uri.length() ? Character.digit(uri.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw new IllegalArgumentException("not percent-encoded");
                }
                bytes.put((byte) (high << 4 | low));
                i += 2;
            } else {
                bytes.put((byte) c);
            }
        }
        if (!encoded) {
            return;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(bytes.flip());
        } catch (CharacterCodingException notUtf8) {
            throw new IllegalArgumentException("not UTF-8", notUtf8);
        }
    }

    /**
     * A proxy and this server could otherwise disagree on which host is meant. HTTP/1.0 does not require the header.
     */
    private static boolean hasOneHost(HttpRequest request) {
        int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
        return hosts == 1 || (hosts == 0 && request.protocolVersion().equals(HttpVersion.HTTP_1_0));
    }

    private static boolean hasBody(HttpRequest request) {
        return HttpUtil.getContentLength(request, 0L) > 0 || HttpUtil.isTransferEncodingChunked(request);
    }

    private void append(ByteBuf content) {
        if (!content.isReadable() || handler == null) {
            return;
        }
        if (body == null) {
            body = context().alloc().buffer(content.readableBytes());
        }
        if (body.readableBytes() + content.readableBytes() > handler.maxBodyBytes()) {
            refuseBody(handler);
        } else {
            body.writeBytes(content);
        }
    }

    private void complete() {
        if (head == null || uri == null || handler == null) {
            return;
        }
        cancelDeadline();
        ByteBuf whole = body == null ? Unpooled.EMPTY_BUFFER : body;
        HttpHandler answerer = handler;
        Exchange exchange = new Exchange(this, head, uri, whole);
        head = null;
        uri = null;
        handler = null;
        body = null;
        current = exchange;
        try {
            answerer.handle(exchange);
        } catch (RuntimeException e) {
            LOG.error("An HTTP handler failed", e);
            exchange.respondError(HttpResponseStatus.INTERNAL_SERVER_ERROR, "internal", "Something went wrong here.");
        } finally {
            whole.release();
        }
    }

    /** Sends the answer of the current exchange and continues with the next request. Safe for any thread. */
    void answer(FullHttpResponse response, boolean keepAlive) {
        ChannelHandlerContext context = context();
        if (!context.executor().inEventLoop()) {
            try {
                context.executor().execute(() -> answer(response, keepAlive));
            } catch (RejectedExecutionException e) {
                response.release(); // The event loop has ended, and with it the connection.
            }
            return;
        }
        current = null;
        slot.markStranger();
        expectWithin(timeouts.idle());
        if (!keepAlive) {
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
            closing = true;
            context.writeAndFlush(response).addListener(sent -> closeGently(context));
            return;
        }
        context.writeAndFlush(response, context.voidPromise());
        while (current == null && waiting != null && !waiting.isEmpty() && !closing) {
            receive(waiting.remove());
        }
    }

    /**
     * Closes the sending side and discards what the client still sends. If the connection were closed with bytes
     * unread, the client's system could discard our answer before the client has read it.
     */
    private void closeGently(ChannelHandlerContext context) {
        if (context.channel() instanceof DuplexChannel duplex && duplex.isActive()) {
            duplex.shutdownOutput();
            expectWithin(LINGER);
        } else {
            context.close();
        }
    }

    void upgrade(HttpRequest request, int maxFrameBytes, ChannelHandler frames) {
        ChannelHandlerContext context = context();
        if (!WebSocketHandshake.isAcceptable(request)) {
            current = null;
            refuse(HttpResponseStatus.BAD_REQUEST, MALFORMED, "This is not a WebSocket 13 handshake.");
            return;
        }
        cancelDeadline();
        WebSocketHandshake.perform(context, request, maxFrameBytes, frames);
    }

    private void refuseBody(HttpHandler handler) {
        refuse(
                HttpResponseStatus.REQUEST_ENTITY_TOO_LARGE,
                "payload_too_large",
                handler.maxBodyBytes() == 0
                        ? "No body is allowed here."
                        : "The body must not exceed " + handler.maxBodyBytes() + " bytes.");
    }

    /** Answers a request before it is read to its end. The rest of it is discarded with the connection. */
    private void refuse(HttpResponseStatus status, String code, String message) {
        refuse(new Refusal(status, code, message));
    }

    private void refuse(Refusal refusal) {
        HttpRequest request = head == null ? new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/") : head;
        request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        Exchange exchange = new Exchange(this, request, new QueryStringDecoder("/"), Unpooled.EMPTY_BUFFER);
        refusal.handle(exchange);
    }

    private void expectWithin(Duration time) {
        cancelDeadline();
        deadline = context().executor().schedule(() -> context().close(), time.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void cancelDeadline() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        Exchange open = current;
        if (open != null) {
            current = null;
            open.abandoned();
        }
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        cancelDeadline();
        if (body != null) {
            body.release();
            body = null;
        }
        while (waiting != null && !waiting.isEmpty()) {
            ReferenceCountUtil.release(waiting.remove());
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.debug("A connection broke: {}", cause.toString());
        context.close();
    }

    InetAddress client(HttpRequest request) {
        return proxies.client(request.headers(), peer());
    }

    boolean isProxied() {
        return proxies.isTrusted(peer());
    }

    Slots.Slot slot() {
        return slot;
    }

    private InetSocketAddress peer() {
        return (InetSocketAddress) channel().remoteAddress();
    }

    Channel channel() {
        return context().channel();
    }

    private ChannelHandlerContext context() {
        if (context == null) {
            throw new IllegalStateException("not in a pipeline");
        }
        return context;
    }
}
