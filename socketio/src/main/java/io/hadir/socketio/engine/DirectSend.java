package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Sends a frame straight to a socket for which nothing else waits. Nearly every frame is such a one, and the way through
 * the channel's queue takes a third of what it costs this process; the queue is for clients that do not read fast enough.
 */
final class DirectSend {
    private DirectSend() {}

    /** Takes over a frame and sends what it can; returns what is left of it for the channel, null if nothing is. On the channel's loop. */
    static @Nullable ByteBuf rest(Channel channel, ByteBuf frame) {
        int sent = send(channel, frame);
        if (sent < frame.readableBytes()) {
            return frame.duplicate().skipBytes(sent);
        }
        frame.release();
        return null;
    }

    private static int send(Channel channel, ByteBuf frame) {
        if (!(channel instanceof EpollSocketChannel epoll) || !epoll.isActive() || !frame.hasMemoryAddress()) {
            return 0;
        }
        ChannelOutboundBuffer queue = epoll.unsafe().outboundBuffer();
        if (queue == null || queue.totalPendingWriteBytes() > 0) {
            return 0;
        }
        try {
            return ((Socket) epoll.fd()).sendAddress(frame.memoryAddress(), frame.readerIndex(), frame.writerIndex());
        } catch (IOException broken) {
            return 0; // The channel will find out, and close as it does.
        }
    }
}
