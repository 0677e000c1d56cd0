package io.hadir.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
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

/** Turns an HTTP connection into a WebSocket. */
public final class WebSocketHandshake {
    private WebSocketHandshake() {}

    /** Told to the frames' handler when the client has been answered. */
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
        ChannelFuture done;
        try {
            done = handshaker.handshake(http.channel(), full);
        } catch (WebSocketHandshakeException e) {
            http.close();
            return;
        }
        http.pipeline().replace(http.name(), null, frames);
        ChannelHandlerContext context = http.pipeline().context(frames);
        done.addListener(future -> {
            if (future.isSuccess()) {
                context.pipeline().fireUserEventTriggered(Opened.INSTANCE);
            } else {
                context.close();
            }
        });
    }
}
