package io.hadir.torture;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketVersion;
import java.net.InetAddress;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A minimal Socket.IO client over a WebSocket that can fall silent. Confined to its event loop. */
final class SocketIoClient {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int LARGEST_FRAME = 1 << 20;
    private static final int CONNECT_MILLIS = 5_000;

    private final String user;
    private final Listener listener;
    private final Map<Integer, Consumer<JsonNode>> pending = new HashMap<>();
    private @Nullable Channel channel;
    private int lastId;
    private boolean silent;
    private boolean closed;

    /** Hears about the connection. */
    interface Listener {
        void connected();

        void event(String name, JsonNode payload);

        /** The connection ended, and not from this side. */
        void closed();

        /** Whether to read the payloads of events with this name. */
        boolean wants(String name);
    }

    private SocketIoClient(String user, Listener listener) {
        this.user = user;
        this.listener = listener;
    }

    static SocketIoClient open(EventLoop loop, int port, String user, Listener listener) {
        SocketIoClient client = new SocketIoClient(user, listener);
        var connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel made) {
                        client.channel = made;
                        made.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(LARGEST_FRAME))
                                .addLast(new WebSocketClientProtocolHandler(handshake(port)))
                                .addLast(client.new Reader());
                    }
                })
                .connect(InetAddress.getLoopbackAddress(), port);
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                client.end();
            }
        });
        return client;
    }

    private static WebSocketClientProtocolConfig handshake(int port) {
        return WebSocketClientProtocolConfig.newBuilder()
                .webSocketUri(URI.create("ws://127.0.0.1:" + port + "/socket.io/?EIO=4&transport=websocket"))
                .version(WebSocketVersion.V13)
                .customHeaders(EmptyHttpHeaders.INSTANCE)
                .maxFramePayloadLength(LARGEST_FRAME)
                .handshakeTimeoutMillis(CONNECT_MILLIS)
                .build();
    }

    boolean isClosed() {
        return closed;
    }

    /** Sends an event and expects an answer as long as the connection lasts. */
    void ask(String event, String payload, Consumer<JsonNode> answer) {
        int id = ++lastId;
        pending.put(id, answer);
        send("42" + id + "[\"" + event + "\"," + payload + "]");
    }

    private void send(String packet) {
        Channel open = channel;
        if (open != null && open.isActive() && !silent) {
            open.writeAndFlush(new TextWebSocketFrame(packet));
        }
    }

    /** Stops reading and writing, or starts again. */
    void silent(boolean wanted) {
        silent = wanted;
        if (channel != null) {
            channel.config().setAutoRead(!wanted);
        }
    }

    /** Disconnects as Socket.IO does, and closes. */
    void disconnect() {
        send("41");
        close(false);
    }

    /** Closes without a packet; with RST as a killed process does, if wanted. */
    void close(boolean reset) {
        closed = true;
        if (channel != null) {
            if (reset && channel.isOpen()) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            channel.close();
        }
    }

    private void end() {
        if (!closed) {
            closed = true;
            listener.closed();
        }
    }

    private void receive(String packet) {
        if (packet.equals("2")) {
            send("3");
        } else if (packet.startsWith("42[\"")) {
            String name = packet.substring(4, packet.indexOf('"', 4));
            if (listener.wants(name)) {
                listener.event(name, JSON.readTree(packet.substring(2)).path(1));
            }
        } else if (packet.startsWith("43")) {
            int begin = packet.indexOf('[');
            Consumer<JsonNode> answer = pending.remove(Integer.parseInt(packet.substring(2, begin)));
            if (answer != null) {
                answer.accept(JSON.readTree(packet.substring(begin)).path(0));
            }
        } else if (packet.startsWith("40")) {
            listener.connected();
        } else if (packet.startsWith("0")) {
            send("40{\"userId\":\"" + user + "\"}");
        } else if (packet.startsWith("41") || packet.startsWith("44")) {
            end();
            close(false);
        }
    }

    private final class Reader extends SimpleChannelInboundHandler<TextWebSocketFrame> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, TextWebSocketFrame frame) {
            if (!closed) {
                receive(frame.text());
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            end();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }
}
