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
 * The way between two parties: a TCP proxy on a free loopback port that does to connections what networks do. What it
 * does holds for those that exist and for those that come, until {@link #heal}. All of it happens on one event loop.
 */
public final class Link implements AutoCloseable {
    private final EventLoopGroup loop;
    private final Channel door;
    private final Set<End> ends = new HashSet<>();
    private volatile int target;
    private final boolean redis;
    private boolean frozenToServer;
    private boolean frozenToClient;
    private @Nullable Loss loss;

    /** The next message of a channel whose name has this in it does not arrive. */
    private record Loss(String channel, Runnable lost) {}

    Link(EventLoopGroup loop, int target) {
        this(loop, target, false);
    }

    /** A link to a Redis, which can lose single messages. */
    public static Link toRedis(EventLoopGroup loop, int target) {
        return new Link(loop, target, true);
    }

    private Link(EventLoopGroup loop, int target, boolean redis) {
        this.loop = loop;
        this.target = target;
        this.redis = redis;
        door = new ServerBootstrap()
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
        return ((InetSocketAddress) door.localAddress()).getPort();
    }

    /** Where connections lead from now on. */
    void leadTo(int port) {
        target = port;
    }

    /** Passes nothing on, and says nothing of it: a cable that was pulled. */
    CompletableFuture<Void> freeze() {
        return set(true, true);
    }

    /** What comes from the server does not arrive; what goes to it does. */
    CompletableFuture<Void> freezeAnswers() {
        return set(false, true);
    }

    /** Passes everything on again, also what was held up. */
    CompletableFuture<Void> heal() {
        return set(false, false);
    }

    /**
     * Loses the next message of one channel, and nothing else.
     *
     * @param channel what the channel's name has in it
     * @param lost is run when it is lost, on the loop of the link
     */
    public CompletableFuture<Void> lose(String channel, Runnable lost) {
        return CompletableFuture.runAsync(() -> loss = new Loss(channel, lost), loop.next());
    }

    /** Loses no message any more. */
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

    /** Closes every connection, in order or with RST. */
    CompletableFuture<Void> cut(boolean reset) {
        return CompletableFuture.runAsync(() -> Set.copyOf(ends).forEach(end -> end.close(reset)), loop.next());
    }

    private CompletableFuture<Void> set(boolean toServer, boolean toClient) {
        return CompletableFuture.runAsync(
                () -> {
                    frozenToServer = toServer;
                    frozenToClient = toClient;
                    ends.forEach(End::readOrNot);
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
                            server.pipeline().addLast(new RedisMessages(Link.this::loses));
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
                near.readOrNot();
            }
        });
    }

    /** One end of a connection that is passed on. */
    private final class End extends ChannelInboundHandlerAdapter {
        private final Channel channel;
        private final boolean server;
        private @Nullable End other;

        End(Channel channel, boolean server) {
            this.channel = channel;
            this.server = server;
        }

        void readOrNot() {
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
            readOrNot();
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
                from.readOrNot();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ends.remove(this);
            End to = other;
            if (to != null) {
                // Behind what is still to be written.
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
        door.close().syncUninterruptibly();
        cut(true).join();
    }
}
