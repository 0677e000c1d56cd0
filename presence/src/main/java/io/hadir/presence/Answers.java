package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives every question an answer in time: the step's own answer, or {@code presence_unavailable} in its place.
 *
 * <p>All answers have the same time, so the deadline that was set first ends first, and one timer serves all of them.
 */
public final class Answers {
    private static final Duration TIME = PresenceSettings.ANSWER_TIME;

    private final Loop loop;
    /** Lives on the loop. */
    private final Queue<Deadline> deadlines = new ArrayDeque<>();

    private boolean timerRuns;

    public Answers(Loop loop) {
        this.loop = loop;
    }

    /** Takes a step on the loop. May be called from any thread. */
    public <T> CompletionStage<Answer<T>> inTime(Supplier<CompletionStage<Answer<T>>> step) {
        CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
        loop.execute(() -> {
            Reply<T> reply = reply(answer, () -> false);
            reply.begin();
            reply.giveAfter(step.get());
        });
        return answer;
    }

    /**
     * An answer that is due from now on. On the loop.
     *
     * @param moving whether the steps before this one are being answered
     */
    <T> Reply<T> reply(CompletableFuture<Answer<T>> answer, BooleanSupplier moving) {
        return new Reply<>(answer, moving);
    }

    /** The answer that one client waits for. */
    final class Reply<T> {
        private final CompletableFuture<Answer<T>> answer;
        private final BooleanSupplier moving;
        private Deadline deadline = deadline(this::due);
        private boolean begun;
        private @Nullable Answer<T> fallback;

        private Reply(CompletableFuture<Answer<T>> answer, BooleanSupplier moving) {
            this.answer = answer;
            this.moving = moving;
        }

        /** The step begins. If it had to wait for others, its time starts again. */
        void begin() {
            begun = true;
            if (!answer.isDone() && deadline.setAt != loop.nanos()) {
                deadline.end();
                deadline = deadline(this::due);
            }
        }

        /** Whether the client was told that presence is unavailable, so that nothing else can be said. */
        boolean isRefused() {
            return answer.isDone() && answer.join() instanceof Answer.Refused<T>;
        }

        /** What to answer if the rest of the step is late. */
        void fallBackTo(Answer<T> value) {
            fallback = value;
        }

        /** Gives the answer that a step ends with. */
        void giveAfter(CompletionStage<Answer<T>> step) {
            step.whenComplete(
                    (value, failed) -> give(failed == null ? value : Answer.refused(PresenceError.unavailable())));
        }

        /** A step that still waits gets more time as long as its queue moves: a burst is slow, not refused. */
        private void due() {
            if (!begun && moving.getAsBoolean()) {
                deadline = deadline(this::due);
            } else {
                give(fallback != null ? fallback : Answer.refused(PresenceError.unavailable()));
            }
        }

        private void give(Answer<T> value) {
            deadline.end();
            answer.complete(value);
        }
    }

    private Deadline deadline(Runnable due) {
        Deadline deadline = new Deadline(loop.nanos(), due);
        deadlines.add(deadline);
        if (!timerRuns) {
            startTimer(TIME);
        }
        return deadline;
    }

    private void startTimer(Duration delay) {
        timerRuns = true;
        loop.after(delay, this::endDue);
    }

    private void endDue() {
        timerRuns = false;
        long now = loop.nanos();
        for (Deadline next = deadlines.peek(); next != null; next = deadlines.peek()) {
            long left = next.setAt + TIME.toNanos() - now;
            if (next.due != null && left > 0) {
                startTimer(Duration.ofNanos(left));
                return;
            }
            deadlines.remove();
            next.run();
        }
    }

    /** Forgets its action when it ends, so that an answered question keeps nothing alive. */
    private static final class Deadline {
        private final long setAt;
        private @Nullable Runnable due;

        Deadline(long setAt, Runnable due) {
            this.setAt = setAt;
            this.due = due;
        }

        void end() {
            due = null;
        }

        void run() {
            Runnable action = due;
            end();
            if (action != null) {
                action.run();
            }
        }
    }
}
