package io.hadir.server.http;

import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.server.wire.Cursor;
import io.hadir.server.wire.Payload;
import io.hadir.server.wire.RefusedException;
import io.hadir.socketio.http.Exchange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The query of a request. Each method reads one parameter: it returns the value, null if the parameter is absent, or
 * throws the error that names it. Unknown parameters are ignored.
 */
record Query(Exchange exchange) {
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,14}");

    /** The size of a page. */
    int limit() throws RefusedException {
        Long limit = read(
                "limit",
                "1 to " + Payload.LARGEST_PAGE,
                text -> whole(text).filter(value -> value >= 1 && value <= Payload.LARGEST_PAGE));
        return limit == null ? Payload.USUAL_PAGE : limit.intValue();
    }

    /** The position after which a page starts. */
    <T> @Nullable T cursor(Function<String, Optional<T>> decode) throws RefusedException {
        return read("cursor", Cursor.EXPECTED, decode);
    }

    /** A time in epoch milliseconds. */
    @Nullable
    Instant time(String name) throws RefusedException {
        return read(name, "epoch milliseconds", text -> whole(text).map(Instant::ofEpochMilli));
    }

    /** A duration in whole seconds, at least one. */
    @Nullable
    Duration seconds(String name, Duration most) throws RefusedException {
        return read(
                name,
                "whole seconds from 1 to " + most.toSeconds(),
                text -> whole(text)
                        .filter(seconds -> seconds >= 1 && seconds <= most.toSeconds())
                        .map(Duration::ofSeconds));
    }

    @Nullable
    RoomId roomId() throws RefusedException {
        return read("roomId", "a room id", text -> RoomId.parse(text).toOptional());
    }

    /** False if absent. */
    boolean flag(String name) throws RefusedException {
        Boolean flag = read(name, "true or false", text -> switch (text) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        });
        return flag != null && flag;
    }

    /**
     * A parameter that may be given once.
     *
     * @param parse returns empty for a bad value
     */
    <T> @Nullable T read(String name, String expected, Function<String, Optional<T>> parse) throws RefusedException {
        List<String> values = exchange.query(name);
        if (values.isEmpty()) {
            return null;
        }
        Optional<T> value = values.size() > 1 ? Optional.empty() : parse.apply(values.get(0));
        if (value.isEmpty()) {
            throw new RefusedException(PresenceError.invalid(name, expected));
        }
        return value.get();
    }

    private static Optional<Long> whole(String text) {
        return WHOLE.matcher(text).matches() ? Optional.of(Long.parseLong(text)) : Optional.empty();
    }
}
