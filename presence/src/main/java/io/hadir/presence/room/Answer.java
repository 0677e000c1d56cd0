package io.hadir.presence.room;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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

    /** Takes a step with the value, if there is one, and puts what came of it into another form. */
    default <S, R> CompletionStage<Answer<R>> take(Function<T, CompletionStage<Answer<S>>> step, Function<S, R> form) {
        if (this instanceof Ok<T> ok) {
            return step.apply(ok.value()).thenApply(answer -> answer.map(form));
        }
        return CompletableFuture.completedFuture(new Refused<>(((Refused<T>) this).error()));
    }

    /** The value alone, for whoever passes over what there is none for. */
    default Optional<T> toOptional() {
        return this instanceof Ok<T> ok ? Optional.of(ok.value()) : Optional.empty();
    }
}
