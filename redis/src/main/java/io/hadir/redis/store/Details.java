package io.hadir.redis.store;

import io.hadir.presence.room.Holder;
import io.hadir.presence.room.SocketId;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.json.JsonMapper;

/**
 * The details that the scripts store about a present user.
 *
 * @param username null if it is not known
 * @param lastActiveAt in epoch milliseconds, as of the last disconnect or join
 * @param graceUntil in epoch milliseconds, 0 if the presence has no short TTL
 */
public record Details(@Nullable String username, long lastActiveAt, long graceUntil, Set<SocketId> sockets) {
    private static final JsonMapper JSON = JsonMapper.shared();

    /** The details in this text; null if it is empty or not ours. */
    public static @Nullable Details parse(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return null;
        }
        try (JsonParser in = JSON.createParser(text)) {
            return in.nextToken() == JsonToken.START_OBJECT ? read(in) : null;
        } catch (JacksonException malformed) {
            return null;
        }
    }

    /** Whether these are surely the details of a user with this one socket. False proves nothing; it is only quick. */
    static boolean isOfOne(String text, Holder holder) {
        String turn = "\"turn\":" + holder.turn();
        int at = text.indexOf(turn);
        int end = at + turn.length();
        return at >= 0
                && end < text.length()
                && ",}".indexOf(text.charAt(end)) >= 0
                && text.contains("\"socketId\":\"" + holder.socket().value() + "\"");
    }

    private static @Nullable Details read(JsonParser in) {
        String username = null;
        String named = null;
        boolean alone = false;
        long lastActiveAt = 0;
        long graceUntil = 0;
        Set<SocketId> sockets = null;
        for (String field = in.nextName(); field != null; field = in.nextName()) {
            JsonToken value = in.nextToken();
            switch (field) {
                case "username" -> username = value == JsonToken.VALUE_STRING ? in.getString() : null;
                case "socketId" -> named = value == JsonToken.VALUE_STRING ? in.getString() : null;
                case "turn" -> alone = value.isNumeric();
                case "lastActiveAt" -> lastActiveAt = in.getValueAsLong(0);
                case "graceUntil" -> graceUntil = in.getValueAsLong(0);
                case "sockets" -> sockets = value == JsonToken.START_OBJECT ? names(in) : null;
                default -> {}
            }
            in.skipChildren();
        }
        // A single socket is stored as its name and turn.
        if (alone && named != null) {
            sockets = Set.of(new SocketId(named));
        }
        return sockets == null ? null : new Details(username, lastActiveAt, graceUntil, sockets);
    }

    private static Set<SocketId> names(JsonParser in) {
        Set<SocketId> names = new HashSet<>();
        for (String name = in.nextName(); name != null; name = in.nextName()) {
            names.add(new SocketId(name));
            in.nextToken();
            in.skipChildren();
        }
        return names;
    }
}
