package io.hadir.socketio.engine;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An incoming Engine.IO packet, and the codec for single packets and polling bodies. The codec is a set of pure
 * functions, total on any bytes. Outgoing packets are {@link Frames}.
 *
 * @param type {@link Type#MESSAGE} if the packet is binary
 * @param binary whether the data are bytes rather than UTF-8 text
 * @param data what follows the type; shares memory with the buffer that it was read from
 */
record EnginePacket(Type type, boolean binary, ByteBuf data) {
    private static final byte SEPARATOR = 0x1e;
    private static final int MAX_PACKETS = 10_000;

    /** The types of packets and their digits on the wire. */
    enum Type {
        OPEN('0'),
        CLOSE('1'),
        PING('2'),
        PONG('3'),
        MESSAGE('4'),
        UPGRADE('5'),
        NOOP('6');

        private static final Type[] ALL = values();

        final char digit;

        Type(char digit) {
            this.digit = digit;
        }

        static @Nullable Type of(int digit) {
            int index = digit - '0';
            return index >= 0 && index < ALL.length ? ALL[index] : null;
        }
    }

    static boolean isUtf8(ByteBuf text) {
        return ByteBufUtil.isText(text, StandardCharsets.UTF_8);
    }

    /** Reads one text packet; null if its type is unknown. */
    static @Nullable EnginePacket decodeText(ByteBuf text) {
        if (!text.isReadable()) {
            return null;
        }
        Type type = Type.of(text.getByte(text.readerIndex()));
        return type == null
                ? null
                : new EnginePacket(type, false, text.slice(text.readerIndex() + 1, text.readableBytes() - 1));
    }

    /** Reads the packets of a polling body; null if any of them is malformed or there are too many. */
    static @Nullable List<EnginePacket> decodePayload(ByteBuf body) {
        if (!isUtf8(body)) {
            return null;
        }
        List<EnginePacket> packets = new ArrayList<>(1);
        int start = body.readerIndex();
        while (start <= body.writerIndex()) {
            int separator = body.indexOf(start, body.writerIndex(), SEPARATOR);
            int end = separator < 0 ? body.writerIndex() : separator;
            EnginePacket packet = decodePolled(body.slice(start, end - start));
            if (packet == null || packets.size() == MAX_PACKETS) {
                return null;
            }
            packets.add(packet);
            start = end + 1;
        }
        return packets;
    }

    private static @Nullable EnginePacket decodePolled(ByteBuf packet) {
        if (!packet.isReadable() || packet.getByte(packet.readerIndex()) != 'b') {
            return decodeText(packet);
        }
        try {
            ByteBuffer base64 = packet.nioBuffer(packet.readerIndex() + 1, packet.readableBytes() - 1);
            return new EnginePacket(
                    Type.MESSAGE,
                    true,
                    Unpooled.wrappedBuffer(Base64.getDecoder().decode(base64)));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Writes the packets of some frames as one polling body. The caller keeps the frames. */
    static ByteBuf encodePayload(ByteBufAllocator allocator, Collection<ByteBuf> frames) {
        ByteBuf body = allocator.directBuffer();
        for (ByteBuf frame : frames) {
            if (body.isReadable()) {
                body.writeByte(SEPARATOR);
            }
            ByteBuf packet = Frames.payload(frame);
            if (Frames.isBinary(frame)) {
                body.writeByte('b');
                ByteBuffer base64 = Base64.getEncoder().encode(packet.nioBuffer());
                body.writeBytes(base64);
            } else {
                body.writeBytes(packet, packet.readerIndex(), packet.readableBytes());
            }
        }
        return body;
    }
}
