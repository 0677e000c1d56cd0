package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.PresenceSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives every question an answer in time: the step's own answer, or {@code presence_unavailable} in its place.
 *
 * <p>The time limit is for a silent store. If the store answers other questions meanwhile, it is only busy, and the
 * late answer is awaited: a burst is slow, but not refused. A loop that was itself late does not judge the store,
 * because answers may wait there unread.
 *
 * <p>All answers have the same time limit, so the earliest deadline ends first, and one timer serves them all.
 */
public final class Answers {
    private static final Duration TIME = PresenceSettings.ANSWER_TIME;
    /** How often late answers are looked at. */
    private static final Duration CHECK = Duration.ofMillis(100);

    /** By then a client has given up. */
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final Loop loop;
    private final BooleanSupplier answering;
    /** Lives on the loop, like all that follows. */
    private final Queue<Deadline> deadlines = new ArrayDeque<>();

    private List<Reply<?>> late = new ArrayList<>();
    private boolean timerRuns;
    private boolean checkRuns;

    /** Answers that never wait for a busy store, because nothing asked here can pile up: late means refused. */
    public Answers(Loop loop) {
        this(loop, () -> false);
    }

    /** @param answering whether the store has answered somebody in the last moment */
    Answers(Loop loop, BooleanSupplier answering) {
        this.loop = loop;
        this.answering = answering;
    }

    static <T> CompletionStage<Answer<T>> refused(PresenceError error) {
        return CompletableFuture.completedFuture(Answer.refused(error));
    }

    /** Takes a step on the loop. May be called from any thread. */
    public <T> CompletionStage<Answer<T>> inTime(Supplier<CompletionStage<Answer<T>>> step) {
        CompletableFuture<Answer<T>> answer = new CompletableFuture<>();
        loop.execute(() -> reply(answer, since -> false).giveAfter(step.get()));
        return answer;
    }

    /**
     * An answer that is due from now on. On the loop.
     *
     * @param failedSince whether the store has failed a step of this socket since a time, so that waiting is pointless
     */
    <T> Reply<T> reply(CompletableFuture<Answer<T>> answer, LongPredicate failedSince) {
        return new Reply<>(answer, failedSince);
    }

    /** The answer that one client waits for. */
    final class Reply<T> {
        private final CompletableFuture<Answer<T>> answer;
        private final LongPredicate failedSince;
        private final long askedAt = loop.nanos();
        private final Deadline deadline = deadline(this::due);
        private @Nullable Supplier<CompletionStage<Answer<T>>> fallback;

        private Reply(CompletableFuture<Answer<T>> answer, LongPredicate failedSince) {
            this.answer = answer;
            this.failedSince = failedSince;
        }

        /** What the client was told, so that nothing else can be said; null if it still waits. */
        @Nullable
        Answer<T> given() {
            return answer.isDone() ? answer.join() : null;
        }

        boolean isRefused() {
            return given() instanceof Answer.Refused<T>;
        }

        /** What to answer if the rest of the step is late. */
        void fallBackTo(Supplier<CompletionStage<Answer<T>>> early) {
            fallback = early;
        }

        /** Gives the answer that a step ends with. */
        void giveAfter(CompletionStage<Answer<T>> step) {
            step.whenComplete(
                    (value, failed) -> give(failed == null ? value : Answer.refused(PresenceError.unavailable())));
        }

        private void due() {
            late.add(this);
            checkLater();
        }

        /** Decides about a late answer; false if it is given. */
        private boolean waitsOn(boolean silent) {
            if (answer.isDone()) {
                return false;
            }
            if (fallback != null) {
                Supplier<CompletionStage<Answer<T>>> early = fallback;
                fallback = null;
                early.get().thenAccept(this::give);
                return !answer.isDone();
            }
            if (silent || failedSince.test(askedAt) || loop.nanos() - askedAt > LONGEST.toNanos()) {
                give(Answer.refused(PresenceError.unavailable()));
                return false;
            }
            return true;
        }

        private void give(Answer<T> value) {
            deadline.end();
            answer.complete(value);
        }
    }

    private void checkLater() {
        if (!checkRuns) {
            checkRuns = true;
            long due = loop.nanos() + CHECK.toNanos();
            loop.after(CHECK, () -> checkLate(due));
        }
    }

    private void checkLate(long due) {
        checkRuns = false;
        boolean heard = loop.nanos() - due < CHECK.toNanos();
        boolean silent = heard && !answering.getAsBoolean();
        List<Reply<?>> looked = late;
        late = new ArrayList<>();
        for (Reply<?> reply : looked) {
            if (reply.waitsOn(silent)) {
                late.add(reply);
            }
        }
        if (!late.isEmpty()) {
            checkLater();
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
