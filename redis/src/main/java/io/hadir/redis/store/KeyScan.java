package io.hadir.redis.store;

import io.hadir.presence.sweep.Pace;
import io.hadir.redis.link.Master;
import io.hadir.redis.link.RedisLink;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Scans the keys that match a pattern, page by page: {@code read} reads what a page is about, {@code step} handles
 * it, and then the scan rests as its pace wants.
 *
 * @param step completes with whether to go on
 */
record KeyScan<T>(
        RedisLink link,
        Pace pace,
        String pattern,
        Function<Collection<String>, CompletionStage<T>> read,
        Function<T, CompletionStage<Boolean>> step) {
    /** Redis walks this many keys in about a millisecond. */
    private static final int KEYS_AT_ONCE = 1000;

    /** Scans master by master. If one fails, the others are still scanned, and the scan fails at its end. */
    CompletionStage<Void> of(List<Master> masters) {
        if (masters.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Master> others = masters.subList(1, masters.size());
        return from(masters.get(0), ScanCursor.INITIAL)
                .handle((go, failed) -> {
                    if (failed == null) {
                        return go ? of(others) : CompletableFuture.<Void>completedFuture(null);
                    }
                    return of(others).thenCompose(done -> CompletableFuture.<Void>failedFuture(failed));
                })
                .thenCompose(done -> done);
    }

    /** Completes with whether to go on with the next master. */
    private CompletionStage<Boolean> from(Master master, ScanCursor begin) {
        ScanArgs args = ScanArgs.Builder.matches(link.inRedis(pattern)).limit(KEYS_AT_ONCE);
        CompletionStage<KeyScanCursor<String>> page =
                pace.measure(() -> link.read(master, redis -> redis.scan(begin, args)));
        return page.thenCompose(found -> pace.measure(() -> read.apply(new HashSet<>(found.getKeys())))
                .thenCompose(step)
                .thenCompose(go -> pace.rest()
                        .thenCompose(rested -> go && !found.isFinished()
                                ? from(master, found)
                                : CompletableFuture.completedFuture(go))));
    }
}
