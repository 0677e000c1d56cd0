package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Writes a frame straight to the TCP socket if nothing else waits for it, which is nearly always so. Netty's queue
 * costs CPU time and is only needed for clients that do not read fast enough.
 */
final class DirectSend {
    private DirectSend() {}

    /**
     * Takes ownership of a frame and sends what the kernel accepts. Must run on the channel's event loop.
     *
     * @return the rest, which the channel must send; null if there is none
     */
    static @Nullable ByteBuf send(Channel channel, ByteBuf frame) {
        int sent = trySend(channel, frame);
        if (sent < frame.readableBytes()) {
            return frame.duplicate().skipBytes(sent);
        }
        frame.release();
        return null;
    }

    private static int trySend(Channel channel, ByteBuf frame) {
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
            return 0; // The channel will hit the same error when it sends, and close.
        }
    }
}
