package io.hadir.redis.link;

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
 * Watches the masters of a cluster. Commands for a master that is away fail at once; all others go on. Its state changes on
 * the link's thread only.
 */
final class MasterHealth {
    private static final Duration LOOK_EVERY = Duration.ofSeconds(1);
    private static final Duration LOOK_AGAIN = Duration.ofMillis(250);
    private static final Duration ANSWERED_IN = Duration.ofMillis(1500);
    private static final Duration LOOK_FOR_OTHERS_EVERY = Duration.ofSeconds(1);
    /** A single miss may be a busy moment. */
    private static final int MISSES = 2;

    private final RedisConnections connections;
    private final PubSubConnections pubSub;
    private final ScheduledExecutorService thread;
    private final Supplier<List<StatefulConnection<String, String>>> current;
    private final Runnable looked;
    private final Map<String, Integer> misses = new HashMap<>();
    private final Map<String, String> away = new ConcurrentHashMap<>();
    private boolean looking;
    private long lastLook = System.nanoTime() - LOOK_FOR_OTHERS_EVERY.toNanos();

    /**
     * The masters as these connections see them.
     *
     * @param current the connections that are up; a master is away if one of them does not reach it
     * @param looked runs after every check
     */
    MasterHealth(
            RedisConnections connections,
            PubSubConnections pubSub,
            Supplier<List<StatefulConnection<String, String>>> current,
            Runnable looked,
            ScheduledExecutorService thread) {
        this.connections = connections;
        this.pubSub = pubSub;
        this.current = current;
        this.looked = looked;
        this.thread = thread;
    }

    boolean isAway(Master master) {
        return away.containsKey(master.address());
    }

    boolean areAllAway() {
        List<Master> all = connections.masters();
        return !all.isEmpty() && all.stream().allMatch(this::isAway);
    }

    /** The masters that are away, each with what is wrong, in plain words. */
    List<String> inWords() {
        List<String> words = new ArrayList<>();
        int served = 0;
        for (Master master : connections.masters()) {
            served += master.slots();
            String trouble = away.get(master.address());
            String deaf = pubSub.trouble(master);
            if (trouble != null) {
                words.add("the part at " + master.address() + " (" + master.slots() + " slots): " + trouble);
            } else if (deaf != null) {
                words.add("what is told by the part at " + master.address() + ": " + deaf);
            }
        }
        if (served > 0 && served < Master.WHOLE.slots()) {
            words.add(Master.WHOLE.slots() - served + " slots, which no master serves");
        }
        return words;
    }

    int countAway() {
        return (int) connections.masters().stream().filter(this::isAway).count();
    }

    /** Looks from now on. */
    void watch() {
        List<CompletableFuture<Void>> looks = new ArrayList<>();
        List<StatefulConnection<String, String>> open = current.get();
        List<Master> all = connections.masters();
        Set<String> known = new HashSet<>();
        for (Master master : all) {
            known.add(master.address());
            looks.add(look(open, master));
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

    private CompletableFuture<Void> look(List<StatefulConnection<String, String>> open, Master master) {
        List<CompletableFuture<?>> pings = open.stream()
                .<CompletableFuture<?>>map(connection -> connections
                        .commands(connection, master)
                        .thenCompose(redis -> redis.clusterInfo()
                                .thenAccept(MasterHealth::check)
                                .thenCombine(Permissions.check(redis), (serves, permitted) -> true))
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(pings.toArray(CompletableFuture[]::new))
                .orTimeout(ANSWERED_IN.toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync(
                        (done, failed) -> {
                            note(master.address(), failed);
                            return null;
                        },
                        thread);
    }

    /** A master may answer and serve nothing: it is in the minority of a partition, or the cluster lacks slots. */
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
            away.put(address, RedisErrorText.inWords(failed));
        }
    }

    private static boolean isSilence(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        return cause instanceof RedisCommandTimeoutException || cause instanceof TimeoutException;
    }
}
