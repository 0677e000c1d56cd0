package io.hadir.presence.room;

import java.util.Optional;
import java.util.function.Function;

/** A value, or the coded reason for a refusal. */
public sealed interface Answer<T> {
    record Ok<T>(T value) implements Answer<T> {}

    record Refused<T>(PresenceError error) implements Answer<T> {}

    static <T> Answer<T> ok(T value) {
        return new Ok<>(value);
    }

    static <T> Answer<T> refused(PresenceError error) {
        return new Refused<>(error);
    }

    default <R> Answer<R> flatMap(Function<T, Answer<R>> function) {
        if (this instanceof Ok<T> ok) {
            return function.apply(ok.value());
        }
        return new Refused<>(((Refused<T>) this).error());
    }

    default <R> Answer<R> map(Function<T, R> function) {
        return flatMap(value -> new Ok<>(function.apply(value)));
    }

    /** Whether it was refused because the store does not answer, so that it may be repeated. */
    default boolean isUnavailable() {
        return this instanceof Refused<T> refused && refused.error().code() == ErrorCode.PRESENCE_UNAVAILABLE;
    }

    /** The value; empty if it was refused. */
    default Optional<T> toOptional() {
        return this instanceof Ok<T> ok ? Optional.of(ok.value()) : Optional.empty();
    }
}
