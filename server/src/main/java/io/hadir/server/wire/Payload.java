package io.hadir.server.wire;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Listing.PageStart;
import io.hadir.presence.room.Notice;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.socketio.Json;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/**
 * The JSON object that a client sent with an event or as the body of a request. Each method reads one field: it returns
 * the value, or throws the error that names the field and what was expected. A field that is null counts as absent, and
 * optional fields are null if absent.
 */
public record Payload(JsonNode node) {
    public static final int USUAL_PAGE = 100;
    public static final int LARGEST_PAGE = 1000;

    /** The integers that JavaScript can represent exactly. */
    private static final long LARGEST_INTEGER = (1L << 53) - 1;

    private static final Pattern SOCKET_ID = Pattern.compile("[A-Za-z0-9_.-]{1,200}");
    private static final int MOST_ROOMS = 100;
    private static final int MOST_DATA = 1024;
    private static final String ID = "a string, or an integer";

    /** The first argument of an event. */
    public static Payload of(List<JsonNode> arguments) {
        return new Payload(arguments.isEmpty() ? MissingNode.getInstance() : arguments.get(0));
    }

    public RoomId roomId() throws RefusedException {
        requireObject();
        Optional<String> id = text(node.path("roomId"));
        if (id.isEmpty()) {
            throw invalid("roomId", ID);
        }
        return RefusedException.valueOf(RoomId.parse(id.get()));
    }

    /** The rooms of {@code roomIds}, each once. */
    public List<RoomId> roomIds() throws RefusedException {
        return roomIds(MOST_ROOMS);
    }

    public List<RoomId> roomIds(int most) throws RefusedException {
        requireObject();
        String expected = "an array of at most " + most + " room ids";
        JsonNode array = node.path("roomIds");
        if (!array.isArray() || array.size() > most) {
            throw invalid("roomIds", expected);
        }
        Set<RoomId> rooms = new LinkedHashSet<>();
        for (JsonNode element : array) {
            if (!(text(element).map(RoomId::parse).orElse(null) instanceof Answer.Ok<RoomId> room)) {
                throw invalid("roomIds", expected);
            }
            rooms.add(room.value());
        }
        return List.copyOf(rooms);
    }

    /** The rooms of {@code rooms}, as in a token. */
    public @Nullable Set<RoomId> permittedRooms() throws RefusedException {
        return optional("rooms", "an array of room ids", array -> {
            Set<RoomId> rooms = new LinkedHashSet<>();
            for (JsonNode element : array) {
                if (!(text(element).map(RoomId::parse).orElse(null) instanceof Answer.Ok<RoomId> room)) {
                    return Optional.empty();
                }
                rooms.add(room.value());
            }
            return array.isArray() ? Optional.of(Set.copyOf(rooms)) : Optional.empty();
        });
    }

    /** The users in {@code watch}; absent for all of them. Anything that is not a user id permits nobody. */
    public Optional<Set<UserId>> permittedContacts() {
        JsonNode watch = node.path("watch");
        if (watch.isString() && watch.stringValue().equals("*")) {
            return Optional.empty();
        }
        Set<UserId> users = new LinkedHashSet<>();
        watch.forEach(
                one -> text(one).flatMap(id -> UserId.parse(id).toOptional()).ifPresent(users::add));
        return Optional.of(Set.copyOf(users));
    }

    /** The language that a client asks for; null if Hadir does not have it. */
    public @Nullable Language language() {
        JsonNode lang = node.path("lang");
        return lang.isString() ? Language.of(lang.stringValue()).orElse(null) : null;
    }

    public @Nullable UserId userId() throws RefusedException {
        String id = optional("userId", ID, Payload::text);
        return id == null ? null : RefusedException.valueOf(UserId.parse(id));
    }

    public @Nullable Username username() throws RefusedException {
        String name = optionalString("username");
        return name == null ? null : RefusedException.valueOf(Username.parse(name));
    }

    /**
     * What the app shows about a participant: a JSON object, JSON {@code null} for nothing, or Java's null if absent.
     */
    public @Nullable String data() throws RefusedException {
        JsonNode field = node.path("data");
        if (field.isMissingNode()) {
            return null;
        }
        if (field.isNull()) {
            return "null";
        }
        String text = field.isObject() && isFinite(field) ? field.toString() : "";
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes == 0 || bytes > MOST_DATA || text.indexOf(Json.NO_CHARACTER) >= 0) {
            throw invalid("data", "a JSON object of at most " + MOST_DATA + " bytes, or null");
        }
        return text;
    }

    /** The room of an event that may be about all rooms of its socket, and then needs no payload; null if it is. */
    public @Nullable RoomId optionalRoomId() throws RefusedException {
        if (!node.isMissingNode()) {
            requireObject();
        }
        String id = optional("roomId", ID, Payload::text);
        return id == null ? null : RefusedException.valueOf(RoomId.parse(id));
    }

    public String token() throws RefusedException {
        requireObject();
        JsonNode field = node.path("token");
        if (!field.isString()) {
            throw invalid("token", "a string");
        }
        return field.stringValue();
    }

    public boolean flag(String name, boolean absent) throws RefusedException {
        Boolean flag = optional(
                name,
                "true or false",
                field -> field.isBoolean() ? Optional.of(field.booleanValue()) : Optional.empty());
        return flag == null ? absent : flag;
    }

    /** A revision of a room; 0 if absent. */
    public long revision(String name) throws RefusedException {
        Long revision = optional(name, "an integer", field -> exactLong(field).filter(value -> value >= 0));
        return revision == null ? 0 : revision;
    }

    /** The id of a socket of some node. */
    public SocketId socketId() throws RefusedException {
        String id = optionalString("socketId");
        if (id == null || !SOCKET_ID.matcher(id).matches()) {
            throw invalid("socketId", "the id of a socket");
        }
        return new SocketId(id);
    }

    /** The size of a page. */
    public int limit() throws RefusedException {
        Integer limit = optional(
                "limit",
                "1 to " + LARGEST_PAGE,
                field -> integer(field).filter(value -> value >= 1 && value <= LARGEST_PAGE));
        return limit == null ? USUAL_PAGE : limit;
    }

    public @Nullable PageStart cursor() throws RefusedException {
        return optional(
                "cursor",
                Cursor.EXPECTED,
                field -> field.isString() ? Cursor.readPage(field.stringValue()) : Optional.empty());
    }

    /** A required user id. */
    public UserId user(String name) throws RefusedException {
        requireObject();
        if (text(node.path(name)).map(UserId::parse).orElse(null) instanceof Answer.Ok<UserId> user) {
            return user.value();
        }
        throw invalid(name, "a user id");
    }

    /** A required array of user ids, in the order given. */
    public List<UserId> users(String name, int most) throws RefusedException {
        requireObject();
        String expected = "an array of at most " + most + " user ids";
        JsonNode array = node.path(name);
        if (!array.isArray() || array.size() > most) {
            throw invalid(name, expected);
        }
        List<UserId> users = new ArrayList<>(array.size());
        for (JsonNode element : array) {
            if (!(text(element).map(UserId::parse).orElse(null) instanceof Answer.Ok<UserId> user)) {
                throw invalid(name, expected);
            }
            users.add(user.value());
        }
        return users;
    }

    /** Any JSON, as text. */
    public @Nullable String json(String name, int mostBytes) throws RefusedException {
        return optional(
                name,
                "JSON of at most " + mostBytes + " bytes, without numbers that are too large",
                field -> Optional.of(field.toString())
                        .filter(text -> isFinite(field) && text.getBytes(StandardCharsets.UTF_8).length <= mostBytes));
    }

    /** Whether every number fits a double: anything larger would become infinity, which JSON cannot express. */
    private static boolean isFinite(JsonNode value) {
        if (value.isNumber()) {
            return Double.isFinite(value.doubleValue());
        }
        for (JsonNode child : value) {
            if (!isFinite(child)) {
                return false;
            }
        }
        return true;
    }

    /** The settings of a room, each of them optional. Their ranges are checked by {@link RoomSettings#checked}. */
    public RoomSettings roomSettings() throws RefusedException {
        requireObject();
        Integer ttl = optional("ttlSeconds", "whole seconds, at most 2592000", Payload::integer);
        Integer away = optional("awaySeconds", RoomSettings.AWAY_EXPECTED, Payload::integer);
        Integer maxParticipants = optional("maxParticipants", RoomSettings.PARTICIPANTS_EXPECTED, Payload::integer);
        String inactivityMessage = optionalString("inactivityMessage");
        return new RoomSettings(
                ttl == null ? null : Duration.ofSeconds(ttl),
                away == null ? null : Duration.ofSeconds(away),
                inactivityMessage,
                maxParticipants);
    }

    /** A required time in epoch milliseconds. */
    public Instant time(String name) throws RefusedException {
        String expected = "epoch milliseconds";
        Instant time = optional(name, expected, field -> exactLong(field).map(Instant::ofEpochMilli));
        if (time == null) {
            throw invalid(name, expected);
        }
        return time;
    }

    /** A text for a user to read. */
    public @Nullable String notice(String name) throws RefusedException {
        return optional(
                name,
                Notice.EXPECTED,
                field -> field.isString() && Notice.isValid(field.stringValue())
                        ? Optional.of(field.stringValue())
                        : Optional.empty());
    }

    private @Nullable String optionalString(String name) throws RefusedException {
        return optional(
                name, "a string", field -> field.isString() ? Optional.of(field.stringValue()) : Optional.empty());
    }

    /** @param read returns empty for a bad value */
    private <T> @Nullable T optional(String name, String expected, Function<JsonNode, Optional<T>> read)
            throws RefusedException {
        JsonNode field = node.path(name);
        if (field.isMissingNode() || field.isNull()) {
            return null;
        }
        Optional<T> value = read.apply(field);
        if (value.isEmpty()) {
            throw invalid(name, expected);
        }
        return value.get();
    }

    /** A string, or an integer written as one. */
    private static Optional<String> text(JsonNode field) {
        return field.isString()
                ? Optional.of(field.stringValue())
                : exactLong(field).map(number -> Long.toString(number));
    }

    private static Optional<Integer> integer(JsonNode field) {
        return field.isIntegralNumber() && field.canConvertToInt() ? Optional.of(field.intValue()) : Optional.empty();
    }

    private static Optional<Long> exactLong(JsonNode field) {
        return field.isIntegralNumber() && field.canConvertToLong() && Math.abs(field.longValue()) <= LARGEST_INTEGER
                ? Optional.of(field.longValue())
                : Optional.empty();
    }

    private void requireObject() throws RefusedException {
        if (!node.isObject()) {
            throw invalid("payload", "an object");
        }
    }

    private static RefusedException invalid(String field, String expected) {
        return new RefusedException(PresenceError.invalid(field, expected));
    }
}
