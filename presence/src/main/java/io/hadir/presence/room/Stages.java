package io.hadir.presence.room;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Combinations of stages. */
public final class Stages {
    private Stages() {}

    /** Completes when all stages have; fails if one of them did. */
    public static CompletionStage<Void> all(Collection<? extends CompletionStage<?>> stages) {
        return CompletableFuture.allOf(
                stages.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
    }

    /** The same stage, completed by this executor. */
    public static <T> CompletionStage<T> on(Executor executor, CompletionStage<T> stage) {
        return stage.whenCompleteAsync((value, failed) -> {}, executor);
    }

    /** Begins a step on this executor; completes with the step. */
    public static <T> CompletionStage<T> begin(Executor executor, Supplier<CompletionStage<T>> step) {
        return CompletableFuture.supplyAsync(step, executor).thenCompose(begun -> begun);
    }

    /** Completes a future with the outcome of a stage. */
    public static <T> BiConsumer<T, @Nullable Throwable> into(CompletableFuture<T> waiting) {
        return (value, failed) -> {
            if (failed == null) {
                waiting.complete(value);
            } else {
                waiting.completeExceptionally(failed);
            }
        };
    }

    /** Takes a step for each slice of the items, one after the other. */
    public static <T> CompletionStage<Void> inSlices(
            List<T> items, int size, Function<List<T>, CompletionStage<Void>> step) {
        if (items.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        int end = Math.min(size, items.size());
        return step.apply(items.subList(0, end))
                .thenCompose(done -> inSlices(items.subList(end, items.size()), size, step));
    }

    /** Takes a step for each item, {@code atOnce} at the same time; fails when a batch has a failure. */
    public static <T> CompletionStage<Void> inBatches(
            List<T> items, int atOnce, Function<T, CompletionStage<Void>> step) {
        if (items.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        int end = Math.min(atOnce, items.size());
        List<CompletionStage<Void>> taken =
                items.subList(0, end).stream().map(step).toList();
        return all(taken).thenCompose(done -> inBatches(items.subList(end, items.size()), atOnce, step));
    }
}
