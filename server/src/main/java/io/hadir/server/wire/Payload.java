package io.hadir.server.wire;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Notice;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** What a client sent with an event or a request. Every method is total: a value, or what is wrong with it. Null is absent. */
public record Payload(JsonNode node) {
    private static final long LARGEST_INTEGER = (1L << 53) - 1;
    private static final Map<String, String> EXPECTED = Map.of(
            "payload", "an object",
            "roomId", "a string, or an integer",
            "roomIds", "an array of at most 100 room ids",
            "userId", "a string, or an integer",
            "username", "a string",
            "token", "a string",
            "limit", "1 to 1000",
            "cursor", "the nextCursor of an answer");
    public static final int USUAL_PAGE = 100;
    public static final int LARGEST_PAGE = 1000;
    private static final int MOST_ROOMS = 100;

    public static Payload of(List<JsonNode> arguments) {
        return new Payload(arguments.isEmpty() ? MissingNode.getInstance() : arguments.get(0));
    }

    public Answer<RoomId> roomId() {
        if (!node.isObject()) {
            return invalid("payload");
        }
        return text(node.path("roomId")).map(RoomId::parse).orElseGet(() -> invalid("roomId"));
    }

    /** The rooms of a question, each of them once. */
    public Answer<List<RoomId>> roomIds() {
        if (!node.isObject()) {
            return invalid("payload");
        }
        JsonNode field = node.path("roomIds");
        if (!field.isArray() || field.size() > MOST_ROOMS) {
            return invalid("roomIds");
        }
        Set<RoomId> rooms = new LinkedHashSet<>();
        for (JsonNode one : field) {
            if (!(text(one).map(RoomId::parse).orElse(null) instanceof Answer.Ok<RoomId> room)) {
                return invalid("roomIds");
            }
            rooms.add(room.value());
        }
        return Answer.ok(List.copyOf(rooms));
    }

    public Answer<Optional<UserId>> userId() {
        return optional("userId", field -> text(field).map(UserId::parse));
    }

    public Answer<Optional<Username>> username() {
        return optional(
                "username",
                field -> field.isString() ? Optional.of(Username.parse(field.stringValue())) : Optional.empty());
    }

    public Answer<String> token() {
        JsonNode field = node.path("token");
        return field.isString() ? Answer.ok(field.stringValue()) : invalid("token");
    }

    /** Whether an audit is to repair what it finds. */
    public Answer<Boolean> repair() {
        return flag("repair", false);
    }

    /** Whether a user's tokens are to be revoked. */
    public Answer<Boolean> revoke() {
        return flag("revoke", false);
    }

    public Answer<Boolean> everywhere() {
        return flag("everywhere", false);
    }

    /** Whether a user who joins looks at the room. */
    public Answer<Boolean> focus() {
        return flag("focus", true);
    }

    public Answer<Integer> limit() {
        return optional("limit", field -> {
                    boolean valid = field.isIntegralNumber()
                            && field.canConvertToInt()
                            && field.intValue() >= 1
                            && field.intValue() <= LARGEST_PAGE;
                    return valid ? Optional.of(Answer.ok(field.intValue())) : Optional.empty();
                })
                .map(given -> given.orElse(USUAL_PAGE));
    }

    public Answer<Optional<Position>> cursor() {
        return optional(
                "cursor",
                field -> field.isString() ? Cursor.read(field.stringValue()).map(Answer::ok) : Optional.empty());
    }

    /** One user under some name, who must be there. */
    public Answer<UserId> user(String name) {
        if (!node.isObject()) {
            return invalid("payload");
        }
        return text(node.path(name))
                .flatMap(id ->
                        UserId.parse(id) instanceof Answer.Ok<UserId> ok ? Optional.of(ok.value()) : Optional.empty())
                .map(Answer::ok)
                .orElseGet(() -> Answer.refused(PresenceError.invalid(name, "a user id")));
    }

    /** Users under some name, in their order, which must be there. */
    public Answer<List<UserId>> users(String name, int most) {
        if (!node.isObject()) {
            return invalid("payload");
        }
        Answer<List<UserId>> invalid =
                Answer.refused(PresenceError.invalid(name, "an array of at most " + most + " user ids"));
        JsonNode field = node.path(name);
        if (!field.isArray() || field.size() > most) {
            return invalid;
        }
        List<UserId> users = new ArrayList<>(field.size());
        for (JsonNode one : field) {
            if (!(text(one).map(UserId::parse).orElse(null) instanceof Answer.Ok<UserId> user)) {
                return invalid;
            }
            users.add(user.value());
        }
        return Answer.ok(users);
    }

    /** Any JSON under some name, as text. */
    public Answer<Optional<String>> json(String name, int mostBytes) {
        JsonNode field = node.path(name);
        if (field.isMissingNode() || field.isNull()) {
            return Answer.ok(Optional.empty());
        }
        String written = field.toString();
        return isFinite(field) && written.getBytes(StandardCharsets.UTF_8).length <= mostBytes
                ? Answer.ok(Optional.of(written))
                : Answer.refused(PresenceError.invalid(
                        name, "JSON of at most " + mostBytes + " bytes, without numbers that are too large"));
    }

    /** Whether every number can be written again: beyond a double there is only infinity, which JSON does not know. */
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

    /** A room's settings, all of which may be absent. What they may be beside the server's own is not known here. */
    public Answer<RoomSettings> roomSettings() {
        if (!node.isObject()) {
            return invalid("payload");
        }
        return whole("ttlSeconds", "whole seconds, at most 2592000")
                .flatMap(ttl -> whole("maxParticipants", RoomSettings.PARTICIPANTS_EXPECTED)
                        .flatMap(most -> optionalText("inactivityMessage")
                                .map(message -> new RoomSettings(
                                        ttl.map(Duration::ofSeconds).orElse(null),
                                        message.orElse(null),
                                        most.orElse(null)))));
    }

    private Answer<Boolean> flag(String name, boolean absent) {
        return given(
                        name,
                        "true or false",
                        field -> field.isBoolean() ? Optional.of(field.booleanValue()) : Optional.empty())
                .map(value -> value.orElse(absent));
    }

    private Answer<Optional<Integer>> whole(String name, String expected) {
        return given(
                name,
                expected,
                field -> field.isIntegralNumber() && field.canConvertToInt()
                        ? Optional.of(field.intValue())
                        : Optional.empty());
    }

    private Answer<Optional<String>> optionalText(String name) {
        return given(name, "a string", field -> field.isString() ? Optional.of(field.stringValue()) : Optional.empty());
    }

    /** A time in epoch milliseconds, which must be there. */
    public Answer<Instant> time(String name) {
        String expected = "epoch milliseconds";
        return given(
                        name,
                        expected,
                        field -> field.isIntegralNumber()
                                        && field.canConvertToLong()
                                        && Math.abs(field.longValue()) <= LARGEST_INTEGER
                                ? Optional.of(Instant.ofEpochMilli(field.longValue()))
                                : Optional.empty())
                .flatMap(time ->
                        time.map(Answer::ok).orElseGet(() -> Answer.refused(PresenceError.invalid(name, expected))));
    }

    /** A text for a user to read. */
    public Answer<Optional<String>> notice(String name) {
        return given(
                name,
                Notice.EXPECTED,
                field -> field.isString() && Notice.isValid(field.stringValue())
                        ? Optional.of(field.stringValue())
                        : Optional.empty());
    }

    private <T> Answer<Optional<T>> given(String name, String expected, Function<JsonNode, Optional<T>> parse) {
        JsonNode field = node.path(name);
        if (field.isMissingNode() || field.isNull()) {
            return Answer.ok(Optional.empty());
        }
        Optional<T> value = parse.apply(field);
        return value.isPresent() ? Answer.ok(value) : Answer.refused(PresenceError.invalid(name, expected));
    }

    /** A string, or an integer written as one. */
    private static Optional<String> text(JsonNode field) {
        if (field.isString()) {
            return Optional.of(field.stringValue());
        }
        boolean integer =
                field.isIntegralNumber() && field.canConvertToLong() && Math.abs(field.longValue()) <= LARGEST_INTEGER;
        return integer ? Optional.of(Long.toString(field.longValue())) : Optional.empty();
    }

    private <T> Answer<Optional<T>> optional(String name, Function<JsonNode, Optional<Answer<T>>> parse) {
        JsonNode field = node.path(name);
        if (field.isMissingNode() || field.isNull()) {
            return Answer.ok(Optional.empty());
        }
        return parse.apply(field).orElseGet(() -> invalid(name)).map(Optional::of);
    }

    private static <T> Answer<T> invalid(String field) {
        return Answer.refused(PresenceError.invalid(field, Objects.requireNonNull(EXPECTED.get(field))));
    }
}
