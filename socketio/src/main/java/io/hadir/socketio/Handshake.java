package io.hadir.socketio;

import tools.jackson.databind.JsonNode;

/**
 * A client's request to connect to a namespace. It is not kept once the client is connected.
 *
 * @param socketId the id of the future socket
 * @param auth the payload of the CONNECT packet, an empty object if there was none
 */
public record Handshake(String socketId, JsonNode auth) {
    /** Omits the payload, which may contain a token. */
    @Override
    public String toString() {
        return "Handshake[" + socketId + "]";
    }
}
