package io.hadir.redis.store;

import io.hadir.redis.link.Master;
import io.hadir.redis.link.RedisLink;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Scans the keys that match a pattern, page by page: {@code look} reads what a page is about, and {@code step} handles it.
 * The next pages are read in the meantime, so neither Redis nor this node waits for the other.
 *
 * @param look fails without failing the pages before it
 * @param step completes with whether to go on
 */
record KeyScan<T>(
        RedisLink link,
        String pattern,
        Function<Collection<String>, CompletionStage<T>> look,
        Function<T, CompletionStage<Boolean>> step) {
    private static final int KEYS_AT_ONCE = 500;
    private static final int PAGES_AHEAD = 2;

    /** What was read about a page, and where the next page begins. */
    private record Page<T>(CompletionStage<T> shown, ScanCursor end) {}

    /** Scans master by master. If one fails, the others are still scanned, and the scan fails at its end. */
    CompletionStage<Void> of(List<Master> masters) {
        if (masters.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Master> others = masters.subList(1, masters.size());
        return of(masters.get(0))
                .handle((go, failed) -> {
                    if (failed == null) {
                        return go ? of(others) : CompletableFuture.<Void>completedFuture(null);
                    }
                    return of(others).thenCompose(done -> CompletableFuture.<Void>failedFuture(failed));
                })
                .thenCompose(done -> done);
    }

    /** Completes with whether to go on with the next master. */
    private CompletionStage<Boolean> of(Master master) {
        Deque<CompletionStage<Page<T>>> ahead = new ArrayDeque<>();
        ahead.add(read(master, ScanCursor.INITIAL));
        while (ahead.size() <= PAGES_AHEAD) {
            ahead.add(ahead.getLast().thenCompose(last -> after(master, last)));
        }
        return take(master, ahead);
    }

    private CompletionStage<Boolean> take(Master master, Deque<CompletionStage<Page<T>>> ahead) {
        return ahead.remove().thenCompose(page -> {
            ahead.add(ahead.getLast().thenCompose(last -> after(master, last)));
            return page.shown
                    .thenCompose(step)
                    .thenCompose(go ->
                            go && !page.end.isFinished() ? take(master, ahead) : CompletableFuture.completedFuture(go));
        });
    }

    private CompletionStage<Page<T>> after(Master master, Page<T> last) {
        return last.end.isFinished() ? CompletableFuture.completedFuture(last) : read(master, last.end);
    }

    private CompletionStage<Page<T>> read(Master master, ScanCursor begin) {
        ScanArgs args = ScanArgs.Builder.matches(pattern).limit(KEYS_AT_ONCE);
        CompletionStage<KeyScanCursor<String>> read = link.read(master, redis -> redis.scan(begin, args));
        return read.thenApply(found -> new Page<>(look.apply(new HashSet<>(found.getKeys())), found));
    }
}
