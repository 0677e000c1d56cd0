package io.hadir.socketio;

import tools.jackson.databind.JsonNode;

/**
 * An incoming packet, well-formed for its type.
 *
 * @param type CONNECT, DISCONNECT, EVENT or ACK, or the binary form of the last two
 * @param namespace {@code /} if the client named none
 * @param id the acknowledgement's id, {@link #NO_ID} if there is none
 * @param data an object for CONNECT; an array for events, starting with the name, and acknowledgements; else missing
 * @param attachments how many binary messages follow
 */
record Packet(PacketType type, String namespace, long id, JsonNode data, int attachments) {
    static final long NO_ID = -1;
}
