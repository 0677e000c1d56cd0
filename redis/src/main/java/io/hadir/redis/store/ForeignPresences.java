package io.hadir.redis.store;

import io.hadir.presence.sweep.Pace;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Finds presence keys in a Redis that no Hadir has used yet. They belong to another program, and the sweep would
 * remove them. Hadir leaves a mark in each Redis that it uses, so it searches only once.
 */
public final class ForeignPresences {
    /** Longer than any presence lives. While a node lives, other keys show that Hadir is here. */
    private static final Duration MARKED = Duration.ofDays(90);

    /** How soon to search again if the search failed. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    private static final String OURS = "hadir:";

    private ForeignPresences() {}

    /**
     * One of the keys as Redis knows it; empty if there are none, or Hadir has used this Redis before. A search that
     * fails is repeated, so this may take any time.
     */
    public static CompletionStage<Optional<String>> find(RedisLink link) {
        return link.read(
                        RedisKeys.USED,
                        redis -> redis.exists(RedisKeys.USED, RedisKeys.KNOWN_NODES, RedisKeys.LAST_SIGNS))
                .thenCompose(marks -> marks > 0 ? CompletableFuture.completedFuture(Optional.empty()) : search(link));
    }

    /** Marks this Redis as used by Hadir. */
    public static CompletionStage<Void> mark(RedisLink link) {
        return link.write(RedisKeys.USED, redis -> redis.set(RedisKeys.USED, "true", SetArgs.Builder.ex(MARKED)))
                .thenAccept(done -> {});
    }

    private static CompletionStage<Optional<String>> search(RedisLink link) {
        Search search = new Search();
        return new KeyScan<Collection<String>>(
                        link,
                        new Pace(link.loop(), 1),
                        RedisKeys.EVERY_PRESENCE_AND_ROOM,
                        CompletableFuture::completedFuture,
                        keys -> CompletableFuture.completedFuture(search.goesOn(keys)))
                .of(link.masters())
                .thenApply(done -> search.found().map(link::inRedis))
                .exceptionallyCompose(failed -> {
                    CompletableFuture<Void> rested = new CompletableFuture<>();
                    link.loop().after(AGAIN, () -> rested.complete(null));
                    return rested.thenCompose(done -> search(link));
                });
    }

    /** Steps come one at a time, but on different threads. */
    private static final class Search {
        private volatile boolean used;
        private volatile @Nullable String foreign;

        boolean goesOn(Collection<String> keys) {
            for (String key : keys) {
                if (key.startsWith(OURS)) {
                    used = true;
                } else {
                    foreign = key;
                }
            }
            return !used;
        }

        Optional<String> found() {
            return used ? Optional.empty() : Optional.ofNullable(foreign);
        }
    }
}
