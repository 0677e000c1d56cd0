package io.hadir.socketio;

import io.hadir.socketio.engine.Frames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufOutputStream;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.Base64Variant;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.util.JsonGeneratorDelegate;

/**
 * Writes Socket.IO packets as frames, ready to be sent to one client or many. The first frame is the packet itself;
 * byte arrays among the arguments follow in frames of their own.
 */
final class PacketEncoder {
    private static final int EXPECTED_BYTES = 256;
    /** Room for type, number of attachments, and id. */
    private static final int HEADROOM = 24;

    private final ByteBufAllocator allocator;

    PacketEncoder(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    List<ByteBuf> event(String namespace, long id, String name, @Nullable Object[] arguments) {
        return encode(Packet.Type.EVENT, namespace, id, name, arguments);
    }

    List<ByteBuf> ack(String namespace, long id, @Nullable Object[] arguments) {
        return encode(Packet.Type.ACK, namespace, id, null, arguments);
    }

    private List<ByteBuf> encode(
            Packet.Type type, String namespace, long id, @Nullable String name, @Nullable Object[] arguments) {
        ByteBuf packet = Frames.allocate(allocator, HEADROOM + namespace.length(), EXPECTED_BYTES);
        List<ByteBuf> attachments = List.of();
        try (BinaryExtractor json = new BinaryExtractor(packet)) {
            json.writeStartArray();
            if (name != null) {
                json.writeString(name);
            }
            for (Object argument : arguments) {
                Json.MAPPER.writeValue(json, argument);
            }
            json.writeEndArray();
            attachments = json.attachments;
        } catch (RuntimeException e) {
            packet.release();
            throw e;
        }
        Packet.Type sent = attachments.isEmpty()
                ? type
                : type == Packet.Type.EVENT ? Packet.Type.BINARY_EVENT : Packet.Type.BINARY_ACK;
        ByteBuf frame = seal(packet, sent, attachments.size(), namespace, id);
        if (attachments.isEmpty()) {
            return List.of(frame);
        }
        List<ByteBuf> frames = new ArrayList<>(1 + attachments.size());
        frames.add(frame);
        for (ByteBuf attachment : attachments) {
            frames.add(Frames.binary(allocator, attachment));
        }
        return frames;
    }

    /** Writes a CONNECT, DISCONNECT or CONNECT_ERROR packet. The payload becomes a JSON object; null for none. */
    ByteBuf control(Packet.Type type, String namespace, @Nullable Object payload) {
        byte[] json = payload == null ? new byte[0] : Json.MAPPER.writeValueAsBytes(payload);
        ByteBuf packet = Frames.allocate(allocator, HEADROOM + ByteBufUtil.utf8MaxBytes(namespace), json.length)
                .writeBytes(json);
        return seal(packet, type, 0, namespace, Packet.NO_ID);
    }

    private static ByteBuf seal(ByteBuf packet, Packet.Type type, int attachments, String namespace, long id) {
        StringBuilder text = new StringBuilder(HEADROOM).append(type.digit);
        if (attachments > 0) {
            text.append(attachments).append('-');
        }
        if (!namespace.equals("/")) {
            text.append(namespace).append(',');
        }
        if (id != Packet.NO_ID) {
            text.append(id);
        }
        byte[] head = text.toString().getBytes(StandardCharsets.UTF_8);
        int start = packet.readerIndex() - head.length;
        return Frames.sealText(packet.setBytes(start, head).readerIndex(start));
    }

    /** Writes JSON into a buffer, with placeholders for binary data. */
    private static final class BinaryExtractor extends JsonGeneratorDelegate {
        private List<ByteBuf> attachments = List.of();

        BinaryExtractor(ByteBuf target) {
            super(Json.MAPPER.createGenerator((OutputStream) new ByteBufOutputStream(target)), false);
        }

        @Override
        public JsonGenerator writeBinary(Base64Variant variant, byte[] data, int offset, int length) {
            if (attachments.isEmpty()) {
                attachments = new ArrayList<>();
            }
            delegate.writeStartObject();
            delegate.writeBooleanProperty("_placeholder", true);
            delegate.writeNumberProperty("num", attachments.size());
            delegate.writeEndObject();
            attachments.add(Unpooled.wrappedBuffer(Arrays.copyOfRange(data, offset, offset + length)));
            return this;
        }
    }
}
