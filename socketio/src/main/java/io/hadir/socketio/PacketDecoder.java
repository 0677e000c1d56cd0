package io.hadir.socketio;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.MissingNode;

/**
 * Reads Socket.IO packets: {@code <type>[<attachments>-][<namespace>,][<id>][<JSON>]}. A pure function, total on any
 * bytes. Its result is well-formed and needs no further checks.
 */
final class PacketDecoder {
    static final int MAX_ATTACHMENTS = 64;

    private static final int MAX_NAMESPACE = 128;
    /** The largest integer that JavaScript represents exactly. */
    private static final long MAX_ID = (1L << 53) - 1;
    /** Names that client libraries reserve for their own events. */
    private static final Set<String> RESERVED =
            Set.of("connect", "connect_error", "disconnect", "disconnecting", "newListener", "removeListener");

    private final ByteBuf text;
    private int position;
    private final int end;

    private PacketDecoder(ByteBuf text) {
        this.text = text;
        this.position = text.readerIndex();
        this.end = text.writerIndex();
    }

    /** Reads one packet of well-formed UTF-8; null if it is malformed or not for clients to send. */
    static @Nullable Packet decode(ByteBuf text) {
        return new PacketDecoder(text).decode();
    }

    private @Nullable Packet decode() {
        Packet.Type type = position < end ? Packet.Type.of(text.getByte(position++)) : null;
        if (type == null || type == Packet.Type.CONNECT_ERROR) {
            return null;
        }
        int attachments = 0;
        if (type.isBinary()) {
            long count = number(MAX_ATTACHMENTS);
            if (count == Packet.NO_ID || position == end || text.getByte(position++) != '-') {
                return null;
            }
            attachments = (int) count;
        }
        String namespace = namespace();
        if (namespace == null) {
            return null;
        }
        boolean hasId = position < end && isDigit(text.getByte(position));
        long id = hasId ? number(MAX_ID) : Packet.NO_ID;
        if (hasId && id == Packet.NO_ID) {
            return null;
        }
        JsonNode data = position == end ? MissingNode.getInstance() : Json.read(text.slice(position, end - position));
        if (data == null) {
            return null;
        }
        if (type == Packet.Type.CONNECT && data.isMissingNode()) {
            data = JsonNodeFactory.instance.objectNode();
        }
        return isValid(type, id, data) ? new Packet(type, namespace, id, data, attachments) : null;
    }

    private static boolean isValid(Packet.Type type, long id, JsonNode data) {
        return switch (type) {
            case CONNECT -> data.isObject() && id == Packet.NO_ID;
            case DISCONNECT -> data.isMissingNode() && id == Packet.NO_ID;
            case EVENT, BINARY_EVENT ->
                data.isArray()
                        && !data.isEmpty()
                        && data.get(0).isString()
                        && data.get(0).stringValue().indexOf(Json.NO_CHARACTER) < 0
                        && !RESERVED.contains(data.get(0).stringValue());
            case ACK, BINARY_ACK -> data.isArray() && id != Packet.NO_ID;
            case CONNECT_ERROR -> false;
        };
    }

    private @Nullable String namespace() {
        if (position == end || text.getByte(position) != '/') {
            return "/";
        }
        int comma = text.indexOf(position, end, (byte) ',');
        int stop = comma < 0 ? end : comma;
        if (stop - position > MAX_NAMESPACE) {
            return null;
        }
        String name = text.toString(position, stop - position, StandardCharsets.UTF_8);
        position = comma < 0 ? end : comma + 1;
        return name;
    }

    /** Reads a number; {@link Packet#NO_ID} if there is none or it exceeds the maximum. */
    private long number(long max) {
        int start = position;
        long value = 0;
        while (position < end && isDigit(text.getByte(position))) {
            value = value * 10 + (text.getByte(position++) - '0');
            if (value > max) {
                return Packet.NO_ID;
            }
        }
        return position == start ? Packet.NO_ID : value;
    }

    private static boolean isDigit(byte character) {
        return character >= '0' && character <= '9';
    }
}
