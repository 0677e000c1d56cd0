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
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks the masters of a cluster all the time. Commands for a master that is away fail at once; all others go on. Its
 * state changes on the link's thread only.
 */
final class MasterHealth {
    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);
    private static final Duration CHECK_AGAIN = Duration.ofMillis(250);
    private static final Duration CHECK_TIMEOUT = Duration.ofMillis(1500);
    private static final Duration REFRESH_EVERY = Duration.ofSeconds(1);
    /** A single miss may be a busy moment. */
    private static final int MISSES = 2;

    private final RedisConnections connections;
    private final PubSubConnections pubSub;
    private final ScheduledExecutorService thread;
    private final Supplier<List<StatefulConnection<String, String>>> current;
    private final Runnable checked;
    private final Map<String, Integer> misses = new HashMap<>();
    private final Map<String, String> away = new ConcurrentHashMap<>();
    private boolean refreshing;
    private long lastRefresh = System.nanoTime() - REFRESH_EVERY.toNanos();

    /**
     * The masters as these connections see them.
     *
     * @param current the connections that are up; a master is away if one of them does not reach it
     * @param checked runs after every check
     */
    MasterHealth(
            RedisConnections connections,
            PubSubConnections pubSub,
            Supplier<List<StatefulConnection<String, String>>> current,
            Runnable checked,
            ScheduledExecutorService thread) {
        this.connections = connections;
        this.pubSub = pubSub;
        this.current = current;
        this.checked = checked;
        this.thread = thread;
    }

    boolean isAway(Master master) {
        return isAway(master.address());
    }

    boolean isAway(String address) {
        return away.containsKey(address);
    }

    boolean areAllAway() {
        List<Master> all = connections.masters();
        return !all.isEmpty() && all.stream().allMatch(this::isAway);
    }

    /** What is wrong with each master, in plain words; empty if nothing is. */
    List<String> inWords() {
        List<String> words = new ArrayList<>();
        int served = 0;
        for (Master master : connections.masters()) {
            served += master.slots();
            String trouble = away.get(master.address());
            String noMessages = pubSub.trouble(master);
            if (trouble != null) {
                words.add("the master at " + master.address() + " (" + master.slots() + " slots) is away: " + trouble);
            } else if (noMessages != null) {
                words.add("no messages arrive from the master at " + master.address() + ": " + noMessages);
            }
        }
        if (served > 0 && served < Master.WHOLE.slots()) {
            words.add(Master.WHOLE.slots() - served + " slots have no master");
        }
        return words;
    }

    int countAway() {
        return (int) connections.masters().stream().filter(this::isAway).count();
    }

    /** Checks every master from now on. */
    void watch() {
        List<CompletableFuture<Void>> checks = new ArrayList<>();
        List<StatefulConnection<String, String>> open = current.get();
        List<Master> all = connections.masters();
        Set<String> known = new HashSet<>();
        for (Master master : all) {
            known.add(master.address());
            checks.add(check(open, master));
        }
        away.keySet().retainAll(known);
        misses.keySet().retainAll(known);
        CompletableFuture.allOf(checks.toArray(CompletableFuture[]::new))
                .whenCompleteAsync(
                        (done, failed) -> {
                            boolean well = away.isEmpty();
                            checked.run();
                            if (!well) {
                                refreshTopology();
                            }
                            var unused = thread.schedule(
                                    this::watch, (well ? CHECK_EVERY : CHECK_AGAIN).toMillis(), TimeUnit.MILLISECONDS);
                        },
                        thread);
    }

    /** Finds out whether other masters serve the slots by now, at most once a second. */
    void refreshTopology() {
        if (!refreshing && System.nanoTime() - lastRefresh >= REFRESH_EVERY.toNanos()) {
            refreshing = true;
            lastRefresh = System.nanoTime();
            connections.refreshTopology().whenCompleteAsync((done, failed) -> refreshing = false, thread);
        }
    }

    private CompletableFuture<Void> check(List<StatefulConnection<String, String>> open, Master master) {
        List<CompletableFuture<?>> pings = open.stream()
                .<CompletableFuture<?>>map(connection -> connections
                        .commands(connection, master)
                        .thenCompose(redis -> redis.clusterInfo()
                                .thenAccept(MasterHealth::checkState)
                                .thenCombine(
                                        RedisCheck.checkPermissions(redis, connections.prefix),
                                        (serves, permitted) -> true))
                        .toCompletableFuture())
                .toList();
        return CompletableFuture.allOf(pings.toArray(CompletableFuture[]::new))
                .orTimeout(CHECK_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
                .handleAsync(
                        (done, failed) -> {
                            record(master.address(), failed);
                            return null;
                        },
                        thread);
    }

    /** A master can answer and still serve nothing, in the minority of a partition or while the cluster lacks slots. */
    private static void checkState(String info) {
        if (!info.contains("cluster_state:ok")) {
            throw new RedisException("CLUSTERDOWN");
        }
    }

    private void record(String address, @Nullable Throwable failed) {
        if (failed == null) {
            misses.remove(address);
            away.remove(address);
            return;
        }
        int missed = misses.merge(address, 1, Integer::sum);
        if (missed >= MISSES || !isTimeout(failed)) {
            away.put(address, RedisErrorText.inWords(failed));
        }
    }

    private static boolean isTimeout(Throwable failed) {
        Throwable cause = RedisFailure.cause(failed);
        return cause instanceof RedisCommandTimeoutException || cause instanceof TimeoutException;
    }
}
