package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The answer that a client waits for. It comes in time, or in its place comes word that presence is not available.
 *
 * <p>A step that waits for others of its socket has time as long as these are answered: a burst is slow, not refused.
 */
public final class Reply<T> {
    private static final Duration IN_TIME = Duration.ofMillis(1700);

    private final Loop loop;
    private final CompletableFuture<Answer<T>> answer;
    private final BooleanSupplier moving;
    private Loop.Timer timer;
    private boolean begun;
    private @Nullable Answer<T> fallback;

    /** An answer to a step that waits for no others. May be given from any thread. */
    public Reply(Loop loop) {
        this(loop, new CompletableFuture<>(), () -> false);
    }

    /**
     * An answer that is due.
     *
     * @param moving whether the steps before this one are being answered
     */
    public Reply(Loop loop, CompletableFuture<Answer<T>> answer, BooleanSupplier moving) {
        this.loop = loop;
        this.answer = answer;
        this.moving = moving;
        timer = loop.after(IN_TIME, this::due);
    }

    /** The time within which a step is answered, and within which a queue moves if it moves at all. */
    public static Duration inTime() {
        return IN_TIME;
    }

    /** The step begins: from now on the time is its own. */
    public void begin() {
        begun = true;
        if (!answer.isDone()) {
            timer.cancel();
            timer = loop.after(IN_TIME, this::due);
        }
    }

    /** Whether the client was told that presence is not available, so that nothing else can be said to it. */
    public boolean isRefused() {
        return answer.isDone() && answer.join() instanceof Answer.Refused<T>;
    }

    /** What to answer if the rest of the step is not done in time. */
    public void fallBackTo(Answer<T> value) {
        fallback = value;
    }

    /** Gives the answer that a step ends with. */
    public void giveAfter(CompletionStage<Answer<T>> step) {
        step.whenComplete(
                (value, failed) -> give(failed == null ? value : Answer.refused(PresenceError.unavailable())));
    }

    public CompletionStage<Answer<T>> stage() {
        return answer;
    }

    private void due() {
        if (!begun && moving.getAsBoolean()) {
            timer = loop.after(IN_TIME, this::due);
        } else {
            give(fallback != null ? fallback : Answer.refused(PresenceError.unavailable()));
        }
    }

    private void give(Answer<T> value) {
        timer.cancel();
        answer.complete(value);
    }
}
