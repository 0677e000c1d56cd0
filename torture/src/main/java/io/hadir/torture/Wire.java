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

/** One Socket.IO connection over a WebSocket, of the fewest lines, which can fall silent. Lives on its event loop. */
final class Wire {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final int LARGEST_FRAME = 1 << 20;
    private static final int CONNECT_MILLIS = 5_000;

    private final String user;
    private final Listener listener;
    private final Map<Integer, Consumer<JsonNode>> asked = new HashMap<>();
    private @Nullable Channel channel;
    private int lastId;
    private boolean silent;
    private boolean over;

    /** Who hears what comes. */
    interface Listener {
        void connected();

        void event(String name, JsonNode payload);

        /** It is over, and was not ended from this side. */
        void closed();

        /** Whether what comes under this name is worth reading. */
        boolean wants(String name);
    }

    private Wire(String user, Listener listener) {
        this.user = user;
        this.listener = listener;
    }

    static Wire open(EventLoop loop, int port, String user, Listener listener) {
        Wire wire = new Wire(user, listener);
        var connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_MILLIS)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel made) {
                        wire.channel = made;
                        made.pipeline()
                                .addLast(new HttpClientCodec())
                                .addLast(new HttpObjectAggregator(LARGEST_FRAME))
                                .addLast(new WebSocketClientProtocolHandler(handshake(port)))
                                .addLast(wire.new Reader());
                    }
                })
                .connect(InetAddress.getLoopbackAddress(), port);
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                wire.end();
            }
        });
        return wire;
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

    boolean isOver() {
        return over;
    }

    /** Sends an event; its answer is heard as long as the connection lasts. */
    void ask(String event, String payload, Consumer<JsonNode> answer) {
        int id = ++lastId;
        asked.put(id, answer);
        send("42" + id + "[\"" + event + "\"," + payload + "]");
    }

    private void send(String packet) {
        Channel open = channel;
        if (open != null && open.isActive() && !silent) {
            open.writeAndFlush(new TextWebSocketFrame(packet));
        }
    }

    /** Neither reads nor writes any more, or does so again. */
    void silent(boolean nowSilent) {
        silent = nowSilent;
        if (channel != null) {
            channel.config().setAutoRead(!nowSilent);
        }
    }

    /** Says goodbye as Socket.IO does, and closes. */
    void leave() {
        send("41");
        close(false);
    }

    /** Closes without a word; with RST as a process that was killed may. */
    void close(boolean reset) {
        over = true;
        if (channel != null) {
            if (reset && channel.isOpen()) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            channel.close();
        }
    }

    private void end() {
        if (!over) {
            over = true;
            listener.closed();
        }
    }

    private void take(String packet) {
        if (packet.equals("2")) {
            send("3");
        } else if (packet.startsWith("42[\"")) {
            String name = packet.substring(4, packet.indexOf('"', 4));
            if (listener.wants(name)) {
                listener.event(name, JSON.readTree(packet.substring(2)).path(1));
            }
        } else if (packet.startsWith("43")) {
            int begin = packet.indexOf('[');
            Consumer<JsonNode> answer = asked.remove(Integer.parseInt(packet.substring(2, begin)));
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
            if (!over) {
                take(frame.text());
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
