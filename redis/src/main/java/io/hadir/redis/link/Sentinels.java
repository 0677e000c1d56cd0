package io.hadir.redis.link;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Asks all sentinels at once for the primary. The first address with a majority wins; without one, the address with
 * most votes wins when all have answered or timed out. So a sentinel that hangs causes no delay.
 */
final class Sentinels {
    private final RedisClient client;
    private final List<RedisURI> sentinels;
    private final String name;
    private @Nullable CompletableFuture<InetSocketAddress> asking;

    Sentinels(RedisClient client, List<RedisURI> sentinels, String name) {
        this.client = client;
        this.sentinels = sentinels;
        this.name = name;
    }

    /** The address of the current primary. Concurrent calls share one answer. */
    synchronized CompletionStage<InetSocketAddress> primary() {
        CompletableFuture<InetSocketAddress> current = asking;
        if (current == null || current.isDone()) {
            current = ask();
            asking = current;
        }
        return current;
    }

    private CompletableFuture<InetSocketAddress> ask() {
        Vote vote = new Vote();
        for (RedisURI sentinel : sentinels) {
            ask(sentinel)
                    .copy()
                    .orTimeout(RedisConnections.COMMAND_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                    .whenComplete((named, failed) -> vote.take(sentinel, named, failed));
        }
        return vote.outcome;
    }

    private CompletableFuture<@Nullable SocketAddress> ask(RedisURI sentinel) {
        return client.connectSentinelAsync(StringCodec.UTF8, sentinel)
                .thenCompose(connection -> connection
                        .async()
                        .getMasterAddrByName(name)
                        .whenComplete((named, failed) -> {
                            var unused = connection.closeAsync();
                        }));
    }

    private final class Vote {
        private final CompletableFuture<InetSocketAddress> outcome = new CompletableFuture<>();
        private final Map<InetSocketAddress, Integer> votes = new HashMap<>();
        private int open = sentinels.size();
        private boolean nameUnknown;
        private @Nullable String refusal;

        synchronized void take(RedisURI sentinel, @Nullable SocketAddress named, @Nullable Throwable failed) {
            open--;
            if (named instanceof InetSocketAddress address) {
                int count = votes.merge(address, 1, Integer::sum);
                if (count > sentinels.size() / 2) {
                    outcome.complete(address);
                }
            } else if (failed == null) {
                nameUnknown = true;
            } else if (!RedisErrorText.isSilence(failed)) {
                refusal = "the sentinel at " + sentinel.getHost() + ":" + sentinel.getPort() + ": "
                        + RedisErrorText.inWords(failed);
            }
            if (open == 0) {
                finish();
            }
        }

        private void finish() {
            votes.entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .ifPresentOrElse(
                            most -> outcome.complete(most.getKey()),
                            () -> outcome.completeExceptionally(new RedisErrorText.NoPrimaryException(inWords())));
        }

        private String inWords() {
            if (nameUnknown) {
                return "the sentinels do not know it by this name";
            }
            return refusal == null ? "no sentinel answers" : refusal;
        }
    }
}
