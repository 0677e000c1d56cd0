package io.hadir.engineio;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.Socket;
import java.io.IOException;

/**
 * Sends a frame straight to a socket for which nothing else waits. Nearly every frame is such a one, and the way through
 * the channel's queue takes a third of what it costs this process; the queue is for clients that do not read fast enough.
 */
final class DirectSend {
    private DirectSend() {}

    /**
     * Returns whether the frame has been sent, and released. If not, it has to go by the channel: what is left of it, in
     * case some of it has been sent. Called on the channel's loop.
     */
    static boolean completes(Channel channel, ByteBuf frame) {
        if (!(channel instanceof EpollSocketChannel epoll) || !epoll.isActive() || !frame.hasMemoryAddress()) {
            return false;
        }
        ChannelOutboundBuffer queue = epoll.unsafe().outboundBuffer();
        if (queue == null || queue.totalPendingWriteBytes() > 0) {
            return false;
        }
        try {
            frame.skipBytes(
                    ((Socket) epoll.fd()).sendAddress(frame.memoryAddress(), frame.readerIndex(), frame.writerIndex()));
        } catch (IOException broken) {
            return false; // The channel will find out, and close as it does.
        }
        if (frame.isReadable()) {
            return false;
        }
        frame.release();
        return true;
    }
}
