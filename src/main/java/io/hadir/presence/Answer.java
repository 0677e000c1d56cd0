package io.hadir.presence;

import java.util.function.Function;

/** A value, or the coded reason why there is none. */
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
}
