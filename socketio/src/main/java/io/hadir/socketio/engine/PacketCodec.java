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

/** Reads and writes Engine.IO packets, alone and in polling payloads. Pure functions, total on any bytes. */
final class PacketCodec {
    private static final byte SEPARATOR = 0x1e;

    /** More than a client has to say at once. */
    private static final int MAX_PACKETS = 10_000;

    private PacketCodec() {}

    static boolean isUtf8(ByteBuf text) {
        return ByteBufUtil.isText(text, StandardCharsets.UTF_8);
    }

    /** Reads one text packet; null if its type is not one. */
    static @Nullable Packet decodeText(ByteBuf text) {
        if (!text.isReadable()) {
            return null;
        }
        PacketType type = PacketType.of(text.getByte(text.readerIndex()));
        return type == null
                ? null
                : new Packet(type, false, text.slice(text.readerIndex() + 1, text.readableBytes() - 1));
    }

    /** Reads the packets of a polling body; null if any of it is malformed, or if there are far too many. */
    static @Nullable List<Packet> decodePayload(ByteBuf body) {
        if (!isUtf8(body)) {
            return null;
        }
        List<Packet> packets = new ArrayList<>(1);
        int start = body.readerIndex();
        while (start <= body.writerIndex()) {
            int separator = body.indexOf(start, body.writerIndex(), SEPARATOR);
            int end = separator < 0 ? body.writerIndex() : separator;
            Packet packet = decodePolled(body.slice(start, end - start));
            if (packet == null || packets.size() == MAX_PACKETS) {
                return null;
            }
            packets.add(packet);
            start = end + 1;
        }
        return packets;
    }

    private static @Nullable Packet decodePolled(ByteBuf packet) {
        if (!packet.isReadable() || packet.getByte(packet.readerIndex()) != 'b') {
            return decodeText(packet);
        }
        try {
            ByteBuffer base64 = packet.nioBuffer(packet.readerIndex() + 1, packet.readableBytes() - 1);
            return new Packet(
                    PacketType.MESSAGE,
                    true,
                    Unpooled.wrappedBuffer(Base64.getDecoder().decode(base64)));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Writes the packets of some frames as one polling body. The frames stay with the caller. */
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
