package io.hadir.socketio.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.WebSocketDecoderConfig;
import io.netty.handler.codec.http.websocketx.WebSocketHandshakeException;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker;
import io.netty.handler.codec.http.websocketx.WebSocketServerHandshaker13;
import io.netty.handler.flush.FlushConsolidationHandler;

/** Turns an HTTP connection into a WebSocket. */
public final class WebSocketHandshake {
    private WebSocketHandshake() {}

    /**
     * The event that tells the frame handler that it may write. What it writes at once leaves together with the answer.
     */
    public enum Opened {
        INSTANCE
    }

    static boolean isAcceptable(HttpRequest request) {
        String key = request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_KEY);
        return request.protocolVersion().equals(HttpVersion.HTTP_1_1)
                && key != null
                && key.length() == 24
                && "13".equals(request.headers().get(HttpHeaderNames.SEC_WEBSOCKET_VERSION));
    }

    static void perform(ChannelHandlerContext http, HttpRequest request, int maxFrameBytes, ChannelHandler frames) {
        WebSocketDecoderConfig config = WebSocketDecoderConfig.newBuilder()
                .maxFramePayloadLength(maxFrameBytes)
                .withUTF8Validator(false)
                .build();
        WebSocketServerHandshaker handshaker = new WebSocketServerHandshaker13(request.uri(), null, config);
        FullHttpRequest full = new DefaultFullHttpRequest(
                request.protocolVersion(),
                request.method(),
                request.uri(),
                Unpooled.EMPTY_BUFFER,
                request.headers(),
                EmptyHttpHeaders.INSTANCE);
        ChannelPipeline pipeline = http.pipeline();
        // The handshaker flushes its answer; this keeps it back so that the first frames share its packet.
        FlushConsolidationHandler together = new FlushConsolidationHandler(Integer.MAX_VALUE, true);
        pipeline.addFirst(together);
        try {
            handshaker.handshake(http.channel(), full).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
            pipeline.replace(http.name(), null, frames);
            pipeline.fireUserEventTriggered(Opened.INSTANCE);
        } catch (WebSocketHandshakeException e) {
            http.close();
        } finally {
            pipeline.remove(together);
        }
    }
}
