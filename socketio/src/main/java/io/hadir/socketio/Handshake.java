package io.hadir.socketio;

import io.hadir.socketio.engine.Remote;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * What is known of a client when it asks to connect.
 *
 * @param socketId the id of the socket that it gets if it may
 * @param auth the payload of its CONNECT packet, an empty object if it sent none
 * @param remote where it comes from
 */
public record Handshake(String socketId, JsonNode auth, Remote remote) {
    Handshake withoutAuth() {
        return new Handshake(socketId, MissingNode.getInstance(), remote);
    }

    /** Without what may be a token. */
    @Override
    public String toString() {
        return "Handshake[" + remote + "]";
    }
}
