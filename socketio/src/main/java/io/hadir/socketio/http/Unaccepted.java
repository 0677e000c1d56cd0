package io.hadir.socketio.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says that a connection could not be accepted, for want of descriptors above all; Netty tries again after a second. */
final class Unaccepted extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(Unaccepted.class);

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        LOG.warn("A connection could not be accepted: {}", cause.getMessage());
    }
}
