package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;

/**
 * Outgoing packets. A packet is encoded once, as a WebSocket frame, and all its receivers share the bytes. Long-polling
 * sends the frame's payload. So a "frame" in this package is a {@link ByteBuf} that holds one whole, final, unmasked
 * text or binary WebSocket frame.
 */
public final class Frames {
    private static final int TEXT = 0x81;
    private static final int BINARY = 0x82;
    private static final int MAX_HEADER = 10;

    static final ByteBuf PING = constant("2");
    static final ByteBuf PROBE_ANSWER = constant("3probe");
    static final ByteBuf NOOP = constant("6");
    static final ByteBuf CLOSE = constant("1");

    private Frames() {}

    private static ByteBuf constant(String packet) {
        byte[] bytes = packet.getBytes(StandardCharsets.UTF_8);
        ByteBuf frame = Unpooled.directBuffer(bytes.length + 2);
        frame.writeByte(TEXT).writeByte(bytes.length).writeBytes(bytes);
        return Unpooled.unreleasableBuffer(frame);
    }

    /**
     * Allocates a buffer for the text of a MESSAGE packet, with room in front for the frame's header and
     * {@code headroom} further bytes. {@link #sealText} completes it.
     */
    public static ByteBuf allocate(ByteBufAllocator allocator, int headroom, int expectedBytes) {
        int start = MAX_HEADER + 1 + headroom;
        return allocator.directBuffer(start + expectedBytes).setIndex(start, start);
    }

    /** Completes a buffer of {@link #allocate}: adds the packet type and the frame's header in front. */
    public static ByteBuf sealText(ByteBuf message) {
        int start = message.readerIndex() - 1;
        message.setByte(start, EnginePacket.Type.MESSAGE.digit);
        return seal(message.readerIndex(start), TEXT);
    }

    /** Makes the frame of a binary message. Takes ownership of the content. */
    public static ByteBuf binary(ByteBufAllocator allocator, ByteBuf content) {
        ByteBuf frame =
                allocator.directBuffer(MAX_HEADER + content.readableBytes()).setIndex(MAX_HEADER, MAX_HEADER);
        frame.writeBytes(content);
        content.release();
        return seal(frame, BINARY);
    }

    /** Makes the frame of a text packet, whose type is its first character. */
    static ByteBuf text(ByteBufAllocator allocator, String packet) {
        byte[] bytes = packet.getBytes(StandardCharsets.UTF_8);
        ByteBuf frame = allocator.directBuffer(MAX_HEADER + bytes.length).setIndex(MAX_HEADER, MAX_HEADER);
        return seal(frame.writeBytes(bytes), TEXT);
    }

    private static ByteBuf seal(ByteBuf payload, int opcode) {
        int length = payload.readableBytes();
        int end = payload.readerIndex();
        int start;
        if (length < 126) {
            start = end - 2;
            payload.setByte(start + 1, length);
        } else if (length <= 0xFFFF) {
            start = end - 4;
            payload.setByte(start + 1, 126).setShort(start + 2, length);
        } else {
            start = end - 10;
            payload.setByte(start + 1, 127).setLong(start + 2, length);
        }
        return payload.setByte(start, opcode).readerIndex(start);
    }

    static boolean isBinary(ByteBuf frame) {
        return frame.getUnsignedByte(frame.readerIndex()) == BINARY;
    }

    /** Returns the packet inside a frame. It shares the frame's bytes and reference count. */
    static ByteBuf payload(ByteBuf frame) {
        int length = frame.getUnsignedByte(frame.readerIndex() + 1);
        int header = length < 126 ? 2 : length == 126 ? 4 : MAX_HEADER;
        return frame.slice(frame.readerIndex() + header, frame.readableBytes() - header);
    }
}
