package io.hadir.presence.room;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What can be done with stages. */
public final class Stages {
    private Stages() {}

    /** Completes when all of them have, and fails if one of them did. */
    public static CompletionStage<Void> all(Collection<? extends CompletionStage<?>> stages) {
        return CompletableFuture.allOf(
                stages.stream().map(CompletionStage::toCompletableFuture).toArray(CompletableFuture[]::new));
    }

    /** The same, but completes there. */
    public static <T> CompletionStage<T> on(Executor executor, CompletionStage<T> stage) {
        return stage.whenCompleteAsync((value, failed) -> {}, executor);
    }

    /** Hands an outcome on to whoever waits for this one. */
    public static <T> BiConsumer<T, @Nullable Throwable> into(CompletableFuture<T> waiting) {
        return (value, failed) -> {
            if (failed == null) {
                waiting.complete(value);
            } else {
                waiting.completeExceptionally(failed);
            }
        };
    }

    /** Takes a step for each of the items, so many at once, and the next ones when these have ended well. */
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
