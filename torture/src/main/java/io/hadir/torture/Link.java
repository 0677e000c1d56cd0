package io.hadir.torture;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on a free loopback port that breaks connections as networks do. A freeze applies to existing and to new
 * connections until {@link #heal}. Everything happens on one event loop.
 */
public final class Link implements AutoCloseable {
    private final EventLoopGroup loop;
    private final Channel acceptor;
    private final Set<End> ends = new HashSet<>();
    private volatile int target;
    private final boolean redis;
    private boolean frozenToServer;
    private boolean frozenToClient;
    private @Nullable Loss loss;

    /** The next message of a channel whose name contains this text is lost. */
    private record Loss(String channel, Runnable lost) {}

    Link(EventLoopGroup loop, int target) {
        this(loop, target, false);
    }

    /** A link to a Redis that can lose single messages. */
    public static Link toRedis(EventLoopGroup loop, int target) {
        return new Link(loop, target, true);
    }

    private Link(EventLoopGroup loop, int target, boolean redis) {
        this.loop = loop;
        this.target = target;
        this.redis = redis;
        acceptor = new ServerBootstrap()
                .group(loop)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1000)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel client) {
                        connect(client);
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), 0)
                .syncUninterruptibly()
                .channel();
    }

    public int port() {
        return ((InetSocketAddress) acceptor.localAddress()).getPort();
    }

    /** Sets where new connections lead. */
    void leadTo(int port) {
        target = port;
    }

    /** Forwards nothing and keeps all connections open, like a pulled cable. */
    CompletableFuture<Void> freeze() {
        return set(true, true);
    }

    /** Forwards requests, but no answers. */
    CompletableFuture<Void> freezeAnswers() {
        return set(false, true);
    }

    /** Forwards everything again, including what it held back. */
    CompletableFuture<Void> heal() {
        return set(false, false);
    }

    /**
     * Loses the next message of one channel, and nothing else.
     *
     * @param channel a part of the channel's name
     * @param lost runs on the event loop when the message is lost
     */
    public CompletableFuture<Void> lose(String channel, Runnable lost) {
        return CompletableFuture.runAsync(() -> loss = new Loss(channel, lost), loop.next());
    }

    /** Takes {@link #lose} back. */
    CompletableFuture<Void> loseNothing() {
        return CompletableFuture.runAsync(() -> loss = null, loop.next());
    }

    private boolean loses(String channel) {
        Loss wanted = loss;
        if (wanted == null || !channel.contains(wanted.channel)) {
            return false;
        }
        loss = null;
        wanted.lost.run();
        return true;
    }

    /** Closes every connection, with FIN or with RST. */
    CompletableFuture<Void> cut(boolean reset) {
        return CompletableFuture.runAsync(() -> Set.copyOf(ends).forEach(end -> end.close(reset)), loop.next());
    }

    private CompletableFuture<Void> set(boolean toServer, boolean toClient) {
        return CompletableFuture.runAsync(
                () -> {
                    frozenToServer = toServer;
                    frozenToClient = toClient;
                    ends.forEach(End::updateReading);
                },
                loop.next());
    }

    private void connect(Channel client) {
        End near = new End(client, false);
        client.pipeline().addLast(near);
        ChannelFuture connecting = new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel server) {
                        End far = new End(server, true);
                        near.other = far;
                        far.other = near;
                        if (redis) {
                            server.pipeline().addLast(new RedisMessageFilter(Link.this::loses));
                        }
                        server.pipeline().addLast(far);
                    }
                })
                .connect(InetAddress.getLoopbackAddress(), target);
        connecting.addListener(done -> {
            if (!done.isSuccess()) {
                client.close();
            } else if (!client.isOpen()) {
                connecting.channel().close();
            } else {
                near.updateReading();
            }
        });
    }

    /** One end of a forwarded connection. */
    private final class End extends ChannelInboundHandlerAdapter {
        private final Channel channel;
        private final boolean server;
        private @Nullable End other;

        End(Channel channel, boolean server) {
            this.channel = channel;
            this.server = server;
        }

        void updateReading() {
            End to = other;
            boolean frozen = server ? frozenToClient : frozenToServer;
            channel.config().setAutoRead(!frozen && to != null && to.channel.isActive() && to.channel.isWritable());
        }

        void close(boolean reset) {
            if (reset && channel.isOpen()) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            channel.close();
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            ends.add(this);
            updateReading();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object piece) {
            End to = other;
            if (to != null) {
                to.channel.writeAndFlush(piece);
            }
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            End from = other;
            if (from != null) {
                from.updateReading();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ends.remove(this);
            End to = other;
            if (to != null) {
                // Closes after the pending writes.
                to.channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(done -> to.close(false));
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            End to = other;
            if (to != null) {
                to.close(true);
            }
            context.close();
        }
    }

    @Override
    public void close() {
        acceptor.close().syncUninterruptibly();
        cut(true).join();
    }
}
