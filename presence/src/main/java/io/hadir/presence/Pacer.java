package io.hadir.presence;

import io.hadir.presence.room.Loop;
import io.hadir.presence.room.Stages;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Lets a bounded number of steps be under way; the others wait in order. In a burst, the first ones are then answered
 * while the last ones wait, instead of all at its end. Lives on the loop.
 */
final class Pacer {
    private final int most;
    private final Loop loop;
    private final Queue<Runnable> waiting = new ArrayDeque<>();
    private int underWay;

    /** @param most how many steps may be under way */
    Pacer(int most, Loop loop) {
        this.most = most;
        this.loop = loop;
    }

    <T> CompletionStage<T> take(Supplier<CompletionStage<T>> step) {
        if (underWay < most) {
            return start(step);
        }
        CompletableFuture<T> taken = new CompletableFuture<>();
        waiting.add(() -> start(step).whenComplete(Stages.into(taken)));
        return taken;
    }

    private <T> CompletionStage<T> start(Supplier<CompletionStage<T>> step) {
        underWay++;
        CompletionStage<T> started = attempt(step);
        started.whenCompleteAsync(
                (done, failed) -> {
                    underWay--;
                    Runnable next = waiting.poll();
                    if (next != null) {
                        next.run();
                    }
                },
                loop);
        return started;
    }

    /** A step that throws is over, too, and must not keep its place. */
    private static <T> CompletionStage<T> attempt(Supplier<CompletionStage<T>> step) {
        try {
            return step.get();
        } catch (RuntimeException bug) {
            return CompletableFuture.failedStage(bug);
        }
    }
}
