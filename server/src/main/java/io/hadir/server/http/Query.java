package io.hadir.server.http;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.PresenceError;
import io.hadir.server.wire.Payload;
import io.hadir.socketio.http.Exchange;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;

/** The query of a request. Every method is total: a value, or what is wrong with it. Unknown names are ignored. */
record Query(Exchange exchange) {
    private static final Pattern WHOLE = Pattern.compile("0|[1-9][0-9]{0,14}");

    /** How many entries a page has. */
    Answer<Integer> limit() {
        String expected = "1 to " + Payload.LARGEST_PAGE;
        return parsed(
                        "limit",
                        expected,
                        text -> whole(text)
                                .filter(limit -> limit >= 1 && limit <= Payload.LARGEST_PAGE)
                                .map(Long::intValue))
                .map(limit -> limit.orElse(Payload.USUAL_PAGE));
    }

    /** Where a page begins. */
    <T> Answer<Optional<T>> cursor(Function<String, Optional<T>> read) {
        return parsed("cursor", "the nextCursor of an answer", read);
    }

    /** A time in epoch milliseconds. */
    Answer<Optional<Instant>> time(String name) {
        return parsed(name, "epoch milliseconds", text -> whole(text).map(Instant::ofEpochMilli));
    }

    /** A time span in whole seconds, at least one. */
    Answer<Optional<Duration>> seconds(String name, Duration most) {
        return parsed(
                name,
                "whole seconds from 1 to " + most.toSeconds(),
                text -> whole(text)
                        .filter(seconds -> seconds >= 1 && seconds <= most.toSeconds())
                        .map(Duration::ofSeconds));
    }

    /** Whether something is wanted; not if nothing is said. */
    Answer<Boolean> flag(String name) {
        return parsed(name, "true or false", text -> switch (text) {
                    case "true" -> Optional.of(true);
                    case "false" -> Optional.of(false);
                    default -> Optional.empty();
                })
                .map(given -> given.orElse(false));
    }

    /** A value that is given once or not at all, and is read by the function, which is empty for a bad one. */
    <T> Answer<Optional<T>> parsed(String name, String expected, Function<String, Optional<T>> read) {
        List<String> values = exchange.query(name);
        if (values.isEmpty()) {
            return Answer.ok(Optional.empty());
        }
        Optional<T> value = values.size() > 1 ? Optional.empty() : read.apply(values.get(0));
        return value.isPresent() ? Answer.ok(value) : Answer.refused(PresenceError.invalid(name, expected));
    }

    private static Optional<Long> whole(String text) {
        return WHOLE.matcher(text).matches() ? Optional.of(Long.parseLong(text)) : Optional.empty();
    }
}
