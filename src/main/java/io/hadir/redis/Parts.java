package io.hadir.redis;

import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Watches the masters of a cluster. What lies in a part that is away is refused at once, so that nobody waits for it, and
 * everything else goes on. Its state changes on the link's thread only.
 */
final class Parts {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
    private static final Duration ANSWERED_IN = Duration.ofMillis(1500);
    private static final Duration LOOK_FOR_OTHERS_EVERY = Duration.ofSeconds(1);
    /** One may be lost to a busy moment. */
    private static final int MISSES = 2;

    private final RedisConnections connections;
    private final Listening listening;
    private final ScheduledExecutorService thread;
    private final Supplier<List<StatefulConnection<String, String>>> current;
    private final Runnable looked;
    private final Map<String, Integer> misses = new HashMap<>();
    private final Map<String, String> away = new ConcurrentHashMap<>();
    private boolean looking;
    private long lastLook = System.nanoTime() - LOOK_FOR_OTHERS_EVERY.toNanos();

    /**
     * The parts as seen by some connections.
     *
     * @param current the connections that are up; a part is away if one of them does not reach it
     * @param looked is run after every look
     */
    Parts(
            RedisConnections connections,
            Listening listening,
            Supplier<List<StatefulConnection<String, String>>> current,
            Runnable looked,
            ScheduledExecutorService thread) {
        this.connections = connections;
        this.listening = listening;
        this.current = current;
        this.looked = looked;
        this.thread = thread;
    }

    boolean isAway(Part part) {
        return away.containsKey(part.address());
    }

    boolean areAllAway() {
        List<Part> all = connections.parts();
        return !all.isEmpty() && all.stream().allMatch(this::isAway);
    }

    /** The parts that are away, each with what is wrong, in plain words. */
    List<String> inWords() {
        List<String> words = new ArrayList<>();
        int served = 0;
        for (Part part : connections.parts()) {
            served += part.slots();
            String trouble = away.get(part.address());
            String deaf = listening.trouble(part);
            if (trouble != null) {
                words.add("the part at " + part.address() + " (" + part.slots() + " slots): " + trouble);
            } else if (deaf != null) {
                words.add("what is told by the part at " + part.address() + ": " + deaf);
            }
        }
        if (served > 0 && served < Part.WHOLE.slots()) {
            words.add(Part.WHOLE.slots() - served + " slots, which no master serves");
        }
        return words;
    }

    int countAway() {
        return (int) connections.parts().stream().filter(this::isAway).count();
    }

    /** Looks from now on. */
    void watch() {
        List<CompletableFuture<Void>> looks = new ArrayList<>();
        List<StatefulConnection<String, String>> open = current.get();
        List<Part> all = connections.parts();
        Set<String> known = new HashSet<>();
        for (Part part : all) {
            known.add(part.address());
            looks.add(look(open, part));
        }
        away.keySet().retainAll(known);
        misses.keySet().retainAll(known);
        CompletableFuture.allOf(looks.toArray(CompletableFuture[]::new))
                .whenCompleteAsync(
                        (done, failed) -> {
                            boolean well = away.isEmpty();
                            looked.run();
                            if (!well) {
                                lookForOthers();
                            }
                            var unused = thread.schedule(
                                    this::watch, (well ? LOOK_EVERY : LOOK_AGAIN).toMillis(), TimeUnit.MILLISECONDS);
                        },
                        thread);
    }

    /** Another master may have the slots by now. */
    void lookForOthers() {
        if (!looking && System.nanoTime() - lastLook >= LOOK_FOR_OTHERS_EVERY.toNanos()) {
            looking = true;
            lastLook = System.nanoTime();
            connections.lookAgain().whenCompleteAsync((done, failed) -> looking = false, thread);
        }
    }

    private CompletableFuture<Void> look(List<StatefulConnection<String, String>> open, Part part) {
        List<CompletableFuture<?>> pings = open.stream()
                .<CompletableFuture<?>>map(connection -> connections
                        .commands(connection, part)
                        .thenCompose(redis -> redis.clusterInfo()
                                .thenAccept(Parts::check)
                                .thenCombine(Permissions.check(redis), (serves, permitted) -> true))
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(pings.toArray(CompletableFuture[]::new))
                .orTimeout(ANSWERED_IN.toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync(
                        (done, failed) -> {
                            note(part.address(), failed);
                            return null;
                        },
                        thread);
    }

    /** A master may be there and serve nothing: it is on the lesser side of a cut, or wants every slot to be served. */
    private static void check(String info) {
        if (!info.contains("cluster_state:ok")) {
            throw new RedisException("CLUSTERDOWN");
        }
    }

    private void note(String address, @Nullable Throwable failed) {
        if (failed == null) {
            misses.remove(address);
            away.remove(address);
            return;
        }
        int missed = misses.merge(address, 1, Integer::sum);
        if (missed >= MISSES || !isSilence(failed)) {
            away.put(address, Trouble.inWords(failed));
        }
    }

    private static boolean isSilence(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        return cause instanceof RedisCommandTimeoutException || cause instanceof TimeoutException;
    }
}
