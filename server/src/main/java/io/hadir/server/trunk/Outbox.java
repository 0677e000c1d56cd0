package io.hadir.server.trunk;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gathers the messages to an app, from any thread, and sends those of one turn of the channel's loop in as few frames
 * as possible. Keeps their order.
 */
final class Outbox {
    /** An app parses a frame of this size in about a millisecond, so it hardly blocks the app. */
    private static final int FRAME_BYTES = 1 << 16;

    private final Channel channel;
    private final List<ByteBuf> full = new ArrayList<>();
    private @Nullable ByteBuf frame;
    private boolean scheduled;
    private boolean closed;

    private final Runnable overflow;

    /** @param overflow runs on the channel's loop if too much waits for the app */
    Outbox(Channel channel, Runnable overflow) {
        this.channel = channel;
        this.overflow = overflow;
    }

    /** Adds a message, which is JSON. Does nothing once closed. */
    synchronized void add(byte[] message) {
        if (closed) {
            return;
        }
        ByteBuf open = frame;
        if (open == null) {
            open = channel.alloc().buffer(message.length + 2).writeByte('[');
        } else {
            open.writeByte(',');
        }
        open.writeBytes(message);
        if (open.readableBytes() < FRAME_BYTES) {
            frame = open;
        } else {
            full.add(open.writeByte(']'));
            frame = null;
        }
        if (!scheduled) {
            scheduled = true;
            channel.eventLoop().execute(this::flush);
        }
    }

    /** On the channel's loop. */
    void flush() {
        write();
        if (!channel.isWritable()) {
            overflow.run();
        }
    }

    private void write() {
        List<ByteBuf> ready;
        synchronized (this) {
            scheduled = false;
            if (frame != null) {
                full.add(frame.writeByte(']'));
                frame = null;
            }
            ready = List.copyOf(full);
            full.clear();
        }
        // Outside the monitor: a write that fails ends the trunk, which needs the monitors of its sockets.
        ready.forEach(one -> channel.write(new TextWebSocketFrame(one), channel.voidPromise()));
        channel.flush();
    }

    /** Drops what is not sent yet. */
    synchronized void close() {
        closed = true;
        full.forEach(ByteBuf::release);
        full.clear();
        if (frame != null) {
            frame.release();
            frame = null;
        }
    }
}
