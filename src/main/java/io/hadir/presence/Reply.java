package io.hadir.presence;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The answer that a client waits for. It comes in time, or in its place comes word that presence is not available. */
final class Reply<T> {
    private static final Duration IN_TIME = Duration.ofMillis(1700);

    private final CompletableFuture<Answer<T>> answer;
    private final Loop.Timer timer;

    Reply(Loop loop) {
        this(loop, new CompletableFuture<>());
    }

    Reply(Loop loop, CompletableFuture<Answer<T>> answer) {
        this.answer = answer;
        timer = loop.after(IN_TIME, () -> give(Answer.refused(PresenceError.unavailable())));
    }

    /** Whether the client has its answer, so that nothing can be said to it any more. */
    boolean isGiven() {
        return answer.isDone();
    }

    /** Gives the answer that a step ends with. */
    void giveAfter(CompletionStage<Answer<T>> step) {
        step.whenComplete(
                (value, failed) -> give(failed == null ? value : Answer.refused(PresenceError.unavailable())));
    }

    private void give(Answer<T> value) {
        timer.cancel();
        answer.complete(value);
    }

    CompletionStage<Answer<T>> stage() {
        return answer;
    }
}
