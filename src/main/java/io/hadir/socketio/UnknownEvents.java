package io.hadir.socketio;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Admits everybody and knows no event, and says so. */
public final class UnknownEvents implements SocketListener {
    @Override
    public void connected(Socket socket) {}

    @Override
    public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
        Map<String, String> error = Map.of("code", "not_found", "message", "This server does not know that event.");
        if (ack.isWanted()) {
            ack.send(Map.of("ok", false, "error", error));
        } else {
            socket.emit("room:error", error);
        }
    }

    @Override
    public void disconnected(Socket socket, DisconnectReason reason) {}
}
