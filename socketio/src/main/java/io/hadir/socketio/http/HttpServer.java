package io.hadir.socketio.http;

import io.hadir.socketio.limit.Slots;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Listens on ports, accepts connections while there are slots, and hands their requests to a router. */
public final class HttpServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
    private static final int BACKLOG = 4096;
    private static final HttpDecoderConfig DECODER = new HttpDecoderConfig()
            .setMaxInitialLineLength(8 * 1024)
            .setMaxHeaderSize(16 * 1024)
            .setUseRfc9112TransferEncoding(true);

    /**
     * How long a client may take.
     *
     * @param head from the connect to the end of the first request's headers
     * @param body from the end of the headers to the end of the body
     * @param idle from an answer to the end of the next request's headers
     */
    public record Timeouts(Duration head, Duration body, Duration idle) {
        /**
         * Ten seconds for the headers suffice on a bad phone line; polling clients return at once, so idle is short.
         */
        public static final Timeouts DEFAULT =
                new Timeouts(Duration.ofSeconds(10), Duration.ofSeconds(20), Duration.ofSeconds(30));
    }

    private final EventLoopGroup loops;
    private final Router router;
    private final Timeouts timeouts;
    private final Slots slots;
    private final Proxies proxies;
    private final int sendBufferBytes;
    private final List<Channel> listening = new CopyOnWriteArrayList<>();

    /**
     * @param slots one for each connection
     * @param sendBufferBytes how much may wait for one connection before it counts as unwritable
     */
    public HttpServer(Router router, Timeouts timeouts, Slots slots, Proxies proxies, int sendBufferBytes) {
        // One processor stays free for the compiler, the garbage collector and other processes.
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
        this.loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("hadir-io"), ioHandler());
        this.router = router;
        this.timeouts = timeouts;
        this.slots = slots;
        this.proxies = proxies;
        this.sendBufferBytes = sendBufferBytes;
    }

    private static IoHandlerFactory ioHandler() {
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /** The event loops of all connections. */
    public EventLoopGroup loops() {
        return loops;
    }

    /** Starts to listen and returns the bound address. */
    public InetSocketAddress listen(String host, int port) throws IOException {
        return listen(router, host, port);
    }

    /** Starts to listen on one more address, whose requests go to a router of its own. */
    public InetSocketAddress listen(Router routes, String host, int port) throws IOException {
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(
                        ChannelOption.WRITE_BUFFER_WATER_MARK,
                        new WriteBufferWaterMark(sendBufferBytes / 2, sendBufferBytes))
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        accept(channel, routes);
                    }
                });
        ChannelFuture bound = bootstrap.bind(new InetSocketAddress(InetAddress.getByName(host), port));
        bound.awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen on " + host + ":" + port + ": "
                    + bound.cause().getMessage());
        }
        listening.add(bound.channel());
        bound.channel().pipeline().addLast(new AcceptFailureLogger());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private void accept(Channel channel, Router routes) {
        InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
        Slots.Slot slot = slots.take(proxies.isTrusted(peer) ? null : peer.getAddress());
        if (slot == null) {
            channel.close();
            return;
        }
        slot.onPushedOut(channel::close);
        channel.closeFuture().addListener(closed -> slot.release());
        channel.pipeline()
                .addLast(new HttpServerCodec(DECODER))
                .addLast(new HttpConnection(routes, timeouts, proxies, slot));
    }

    /** Accepts no more connections; open ones continue. */
    public void stopListening() {
        listening.forEach(channel -> channel.close().awaitUninterruptibly());
    }

    /** Closes everything and waits for the event loops to end. */
    @Override
    public void close() {
        stopListening();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    /**
     * Logs that a connection could not be accepted, usually for lack of file descriptors. Netty retries after a second.
     */
    private static final class AcceptFailureLogger extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            LOG.warn("A connection could not be accepted: {}", cause.getMessage());
        }
    }
}
