package io.hadir.socketio.http;

import io.hadir.socketio.limit.Places;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The one port of the server: accepts connections while there are places and gives their requests to the router. */
public final class HttpServer implements AutoCloseable {
    private static final int BACKLOG = 4096;
    private static final HttpDecoderConfig DECODER = new HttpDecoderConfig()
            .setMaxInitialLineLength(8 * 1024)
            .setMaxHeaderSize(16 * 1024)
            .setUseRfc9112TransferEncoding(true);

    private final EventLoopGroup loops;
    private final Router router;
    private final HttpTimeouts timeouts;
    private final Places places;
    private final Proxies proxies;
    private final int sendBufferBytes;
    private @Nullable Channel listening;

    /**
     * @param proxies who may tell where a client is
     * @param sendBufferBytes what may wait for one connection before it counts as unwritable
     */
    public HttpServer(Router router, HttpTimeouts timeouts, Places places, Proxies proxies, int sendBufferBytes) {
        // One processor is left to Redis, the compiler and the collector.
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() - 1);
        this.loops = new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("hadir-io"), ioHandler());
        this.router = router;
        this.timeouts = timeouts;
        this.places = places;
        this.proxies = proxies;
        this.sendBufferBytes = sendBufferBytes;
    }

    private static IoHandlerFactory ioHandler() {
        return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    }

    /** The event loops, for who has timers to run. */
    public EventLoopGroup loops() {
        return loops;
    }

    /** Starts to listen and returns where. */
    public InetSocketAddress listen(String host, int port) throws IOException {
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
                        accept(channel);
                    }
                });
        ChannelFuture bound = bootstrap.bind(new InetSocketAddress(InetAddress.getByName(host), port));
        bound.awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new IOException("cannot listen on " + host + ":" + port + ": "
                    + bound.cause().getMessage());
        }
        listening = bound.channel();
        listening.pipeline().addLast(new Unaccepted());
        return (InetSocketAddress) bound.channel().localAddress();
    }

    private void accept(Channel channel) {
        InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
        Places.Place place = places.take(proxies.isTrusted(peer) ? null : peer.getAddress());
        if (place == null) {
            channel.close();
            return;
        }
        place.onPushedOut(channel::close);
        channel.closeFuture().addListener(closed -> place.leave());
        channel.pipeline()
                .addLast(new HttpServerCodec(DECODER))
                .addLast(new HttpConnection(router, timeouts, proxies, place));
    }

    /** Accepts no more connections; those that are open go on. */
    public void stopListening() {
        if (listening != null) {
            listening.close().awaitUninterruptibly();
        }
    }

    /** Closes everything and waits for the event loops to end. */
    @Override
    public void close() {
        stopListening();
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
