package io.hadir.socketio;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A binary packet whose attachments have not all arrived. */
final class PartialPacket {
    private final Packet packet;
    private final int maxBytes;
    private final List<byte[]> attachments;
    private int bytes;

    /**
     * @param maxBytes the total size limit of the attachments
     */
    PartialPacket(Packet packet, int maxBytes) {
        this.packet = packet;
        this.maxBytes = maxBytes;
        this.attachments = new ArrayList<>(packet.attachments());
    }

    /** Adds the next attachment; false if that exceeds the size limit. */
    boolean add(ByteBuf attachment) {
        bytes += attachment.readableBytes();
        if (bytes > maxBytes) {
            return false;
        }
        attachments.add(ByteBufUtil.getBytes(attachment));
        return true;
    }

    boolean isComplete() {
        return attachments.size() == packet.attachments();
    }

    /** Returns the packet with attachments in place of placeholders; null if the two do not match. */
    @Nullable
    Packet assemble() {
        boolean[] used = new boolean[attachments.size()];
        JsonNode data = fill(packet.data(), used);
        if (data == null) {
            return null;
        }
        for (boolean isUsed : used) {
            if (!isUsed) {
                return null;
            }
        }
        return new Packet(packet.type(), packet.namespace(), packet.id(), data, attachments.size());
    }

    private @Nullable JsonNode fill(JsonNode value, boolean[] used) {
        if (value instanceof ObjectNode object) {
            if (object.path("_placeholder").booleanValue(false)) {
                int number = object.path("num").intValue(-1);
                if (number < 0 || number >= used.length) {
                    return null;
                }
                used[number] = true;
                return JsonNodeFactory.instance.binaryNode(attachments.get(number));
            }
            for (Map.Entry<String, JsonNode> property : object.properties()) {
                JsonNode filled = fill(property.getValue(), used);
                if (filled == null) {
                    return null;
                }
                property.setValue(filled);
            }
        } else if (value instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                JsonNode filled = fill(array.get(i), used);
                if (filled == null) {
                    return null;
                }
                array.set(i, filled);
            }
        }
        return value;
    }
}
