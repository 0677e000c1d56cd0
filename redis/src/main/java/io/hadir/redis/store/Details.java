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
 * @param data the app's data about the user, a JSON object; null if there is none
 * @param graceUntil in epoch milliseconds, 0 if the presence has no short TTL
 * @param held whether the user is held as away, because their last socket was paused and fell silent
 * @param paused those of the sockets that are paused
 */
public record Details(
        @Nullable String username,
        @Nullable String data,
        long lastActiveAt,
        long graceUntil,
        boolean away,
        boolean held,
        Set<SocketId> sockets,
        Set<SocketId> paused) {
    private static final JsonMapper JSON = JsonMapper.shared();

    /** Where the app's data begins, as in {@code room-prelude.lua}. */
    private static final String DATA = ",\"data\":{";

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

    /**
     * Whether these are surely the details of a user with this one socket, paused or not. False proves nothing; it is
     * only quick.
     */
    static boolean isOfOne(String text, Holder holder, boolean paused) {
        // The app's data comes last, and may contain anything.
        int data = text.indexOf(DATA);
        String own = data < 0 ? text : text.substring(0, data);
        String turn = "\"turn\":" + holder.turn();
        int at = own.indexOf(turn);
        int end = at + turn.length();
        return at >= 0
                && (end == own.length() || ",}".indexOf(own.charAt(end)) >= 0)
                && own.contains("\"socketId\":\"" + holder.socket().value() + "\"")
                && own.contains("\"away\":true") == paused;
    }

    private static @Nullable Details read(JsonParser in) {
        String username = null;
        String data = null;
        String named = null;
        boolean alone = false;
        long lastActiveAt = 0;
        long graceUntil = 0;
        boolean away = false;
        boolean held = false;
        Set<SocketId> sockets = null;
        Set<SocketId> paused = Set.of();
        for (String field = in.nextName(); field != null; field = in.nextName()) {
            JsonToken value = in.nextToken();
            switch (field) {
                case "username" -> username = value == JsonToken.VALUE_STRING ? in.getString() : null;
                case "socketId" -> named = value == JsonToken.VALUE_STRING ? in.getString() : null;
                case "turn" -> alone = value.isNumeric();
                case "lastActiveAt" -> lastActiveAt = in.getValueAsLong(0);
                case "graceUntil" -> graceUntil = in.getValueAsLong(0);
                case "away" -> away = value == JsonToken.VALUE_TRUE;
                case "held" -> held = value == JsonToken.VALUE_TRUE;
                case "data" ->
                    data = value == JsonToken.START_OBJECT
                            ? in.readValueAsTree().toString()
                            : null;
                case "paused" -> paused = value == JsonToken.START_OBJECT ? names(in) : Set.of();
                case "sockets" -> sockets = value == JsonToken.START_OBJECT ? names(in) : null;
                default -> {}
            }
            in.skipChildren();
        }
        // A single socket is stored as its name and turn.
        if (alone && named != null) {
            sockets = Set.of(new SocketId(named));
        }
        return sockets == null
                ? null
                : new Details(username, data, lastActiveAt, graceUntil, away, held, sockets, paused);
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
