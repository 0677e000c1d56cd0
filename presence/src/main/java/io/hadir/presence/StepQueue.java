package io.hadir.presence;

import io.hadir.presence.room.Answer;
import io.hadir.presence.room.Loop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one socket, taken one after the other in the order of arrival. Only consecutive heartbeats overlap.
 * Lives on the loop.
 */
final class StepQueue {
    private final Loop loop;
    private final Answers answers;
    private final Runnable sendHeartbeats;
    /** Completes when all steps so far have ended. */
    private CompletableFuture<@Nullable Void> last = CompletableFuture.completedFuture(null);
    /** Completes when all steps up to the last one that is not a heartbeat have ended. */
    private CompletableFuture<@Nullable Void> lastOther = last;

    private boolean failed;
    private long failedAt;

    /** @param sendHeartbeats sends heartbeats that were kept back for a batch, because a step waits behind them */
    StepQueue(Loop loop, Answers answers, Runnable sendHeartbeats) {
        this.loop = loop;
        this.answers = answers;
        this.sendHeartbeats = sendHeartbeats;
    }

    /** A step that is given the reply it ends with. */
    interface Step<T> extends Function<Answers.Reply<T>, CompletionStage<Answer<T>>> {}

    /** Takes a step when all steps before it have succeeded or failed, and answers in time. */
    <T> void answer(CompletableFuture<Answer<T>> answer, Step<T> step) {
        Answers.Reply<T> reply = reply(answer);
        reply.giveAfter(run(() -> begin(reply, step)));
    }

    /** Takes a heartbeat when all steps before it that are not heartbeats have ended, and answers in time. */
    <T> void heartbeat(CompletableFuture<Answer<T>> answer, Step<T> step) {
        Answers.Reply<T> reply = reply(answer);
        CompletableFuture<@Nullable Void> other = lastOther;
        CompletionStage<Answer<T>> taken = after(other, () -> {
            CompletionStage<Answer<T>> begun = begin(reply, step);
            if (lastOther != other) {
                // Meanwhile, a step has queued behind it.
                sendHeartbeats.run();
            }
            return begun;
        });
        CompletableFuture<@Nullable Void> before = last;
        CompletableFuture<@Nullable Void> ended = end(taken);
        last = before.isDone() ? ended : before.thenCombine(ended, (one, both) -> null);
        reply.giveAfter(taken);
    }

    /** Takes a step that needs no answer. */
    <T> CompletionStage<T> run(Supplier<CompletionStage<T>> step) {
        boolean behindHeartbeats = isBusy() && last != lastOther;
        CompletionStage<T> taken = after(last, step);
        last = end(taken);
        lastOther = last;
        if (behindHeartbeats) {
            sendHeartbeats.run();
        }
        return taken;
    }

    /** A reply for a part of a step, due from now on. */
    <T> Answers.Reply<T> ownReply() {
        return answers.reply(new CompletableFuture<>(), since -> false);
    }

    /** Whether a step is under way. */
    boolean isBusy() {
        return !last.isDone();
    }

    private <T> Answers.Reply<T> reply(CompletableFuture<Answer<T>> answer) {
        return answers.reply(answer, this::hasFailedSince);
    }

    /** Whether the store failed a step of this socket after this time. The steps behind it would fail, too. */
    private boolean hasFailedSince(long nanos) {
        return failed && failedAt - nanos > 0;
    }

    private <T> CompletionStage<Answer<T>> begin(Answers.Reply<T> reply, Step<T> step) {
        return step.apply(reply).whenComplete((answer, failure) -> {
            if (failure != null || answer.isUnavailable()) {
                failed = true;
                failedAt = loop.nanos();
            }
        });
    }

    /** Steps begin on the loop, wherever the one before has ended: a command that times out ends on another thread. */
    private <T> CompletionStage<T> after(CompletableFuture<@Nullable Void> before, Supplier<CompletionStage<T>> step) {
        return before.isDone() ? step.get() : before.thenComposeAsync(ended -> step.get(), loop);
    }

    /** Only the end of a step, because its answer may be a long list. */
    private static CompletableFuture<@Nullable Void> end(CompletionStage<?> step) {
        return step.<@Nullable Void>handle((done, failed) -> null).toCompletableFuture();
    }
}
