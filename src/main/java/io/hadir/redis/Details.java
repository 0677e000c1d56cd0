package io.hadir.redis;

import io.hadir.presence.SocketId;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the scripts keep about a present user.
 *
 * @param username null if it is not known
 * @param lastActiveAt in epoch milliseconds, as of the last disconnect or join
 * @param graceUntil in epoch milliseconds, 0 if the presence was not put on a short TTL
 */
record Details(@Nullable String username, long lastActiveAt, long graceUntil, Set<SocketId> sockets) {
    private static final JsonMapper JSON = JsonMapper.shared();

    /** The details in this text; null if it is empty or not ours. */
    static @Nullable Details parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try {
            JsonNode node = JSON.readTree(text);
            Set<SocketId> sockets = sockets(node);
            if (sockets == null) {
                return null;
            }
            JsonNode username = node.path("username");
            return new Details(
                    username.isString() ? username.stringValue() : null,
                    node.path("lastActiveAt").asLong(0),
                    node.path("graceUntil").asLong(0),
                    sockets);
        } catch (JacksonException malformed) {
            return null;
        }
    }

    /** The only one has just its turn beside its name. */
    private static @Nullable Set<SocketId> sockets(JsonNode node) {
        if (node.path("turn").isNumber() && node.path("socketId").isString()) {
            return Set.of(new SocketId(node.get("socketId").stringValue()));
        }
        if (!node.path("sockets").isObject()) {
            return null;
        }
        Set<SocketId> sockets = new HashSet<>();
        node.get("sockets").propertyNames().forEach(name -> sockets.add(new SocketId(name)));
        return sockets;
    }
}
