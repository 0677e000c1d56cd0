package io.hadir.presence.sweep;

import io.hadir.presence.room.Loop;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this node's lease and searches for nodes without one.
 *
 * <p>If all leases are gone because Redis hung or lost its data, that says nothing about the nodes. So a node judges
 * others only after its own renewals have succeeded for the length of a lease. By then every live node has renewed.
 */
public final class LeaseKeeper {
    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());
    private static final int RENEWALS = 3;
    private static final int SEARCHES = 10;
    /** A failed renewal is retried soon, before the rest of the lease runs out. */
    private static final int RETRIES = 30;

    private final Nodes nodes;
    private final Loop loop;
    private final Duration lease;
    private Function<Set<String>, CompletionStage<Void>> gone = ids -> CompletableFuture.completedFuture(null);
    private Consumer<Boolean> renewed = doubt -> {};
    private Runnable regained = () -> {};
    private Listener listener = new Listener() {};
    private final Set<String> reported = new HashSet<>();
    private boolean held;
    private boolean started;
    private boolean renewing;
    /** Whether the link was broken since the last renewal. */
    private boolean returned;

    private long renewedSince;
    private boolean ended;
    private Loop.@Nullable Timer next;

    /** Hears about nodes that are gone. Called on the loop. */
    public interface Listener {
        /** These nodes are gone, each since the given time by Redis' clock. */
        default void gone(Map<String, Instant> nodes) {}

        /** This node's lease had run out, so others may have treated it as gone. */
        default void lost() {}
    }

    public LeaseKeeper(Nodes nodes, Loop loop, Duration lease) {
        this.nodes = nodes;
        this.loop = loop;
        this.lease = lease;
    }

    /** Sets what cleans up after nodes whose lease has run out. Called on the loop until it forgets them. */
    void onGone(Function<Set<String>, CompletionStage<Void>> handler) {
        gone = handler;
    }

    /**
     * Sets what else to renew with the lease; called once, before the start.
     *
     * @param handler gets whether Redis may have lost what this node had written; called on the loop
     */
    public void onRenewed(Consumer<Boolean> handler) {
        renewed = handler;
    }

    /**
     * Sets what runs when this node may judge others again, after a time in which it could not. Redis may have
     * brought back presences whose sockets are gone. Called on the loop.
     */
    void onRegained(Runnable action) {
        regained = action;
    }

    /** Sets the listener; called once, before the start. */
    public void listen(Listener newListener) {
        listener = newListener;
    }

    /** Takes the lease and keeps it; completes after the first attempt, even if that failed. */
    public CompletionStage<Void> start() {
        nodes.onReturn(() -> loop.execute(this::renewAtOnce));
        return CompletableFuture.supplyAsync(this::renew, loop).thenCompose(first -> {
            loop.after(lease.dividedBy(SEARCHES), this::search);
            return first;
        });
    }

    /** Gives the lease up. */
    public CompletionStage<Void> stop() {
        return CompletableFuture.runAsync(() -> ended = true, loop).thenCompose(done -> nodes.endLease(nodes.self()));
    }

    /** Whether a missing lease proves that a node is gone. On the loop. */
    boolean mayJudge() {
        return renewing && loop.nanos() - renewedSince >= lease.toNanos();
    }

    /**
     * Judges no other node for the length of a lease, because leases may be missing for another reason. On the loop.
     */
    void doubt() {
        renewing = false;
    }

    /** Renews as soon as the link is back: it may be gone again when the next renewal is due. */
    private void renewAtOnce() {
        returned = true;
        Loop.Timer due = next;
        if (due != null) {
            due.cancel();
            renew();
        }
    }

    private CompletionStage<Void> renew() {
        next = null;
        if (ended) {
            return CompletableFuture.completedFuture(null);
        }
        return nodes.renewLease()
                .handleAsync(
                        (kept, failed) -> {
                            boolean first = !started;
                            boolean lost = !first && failed == null && !kept;
                            if (failed == null && !ended) {
                                renewed.accept(!kept || returned);
                                returned = false;
                            }
                            log(failed == null, failed == null && kept);
                            if (failed != null) {
                                renewing = false;
                            } else if (!kept || !renewing) {
                                renewing = true;
                                renewedSince = loop.nanos();
                                if (!first) {
                                    loop.after(lease, this::regain);
                                }
                            }
                            if (!ended) {
                                next = loop.after(lease.dividedBy(failed == null ? RENEWALS : RETRIES), this::renew);
                            }
                            if (lost) {
                                listener.lost();
                            }
                            return null;
                        },
                        loop);
    }

    private void regain() {
        if (mayJudge() && !ended) {
            regained.run();
        }
    }

    private void log(boolean renewed, boolean kept) {
        if (!renewed && held) {
            LOG.log(Level.WARNING, "The lease of this server could not be renewed");
        } else if (renewed && started && !kept) {
            LOG.log(
                    Level.WARNING,
                    "The lease of this server had run out; it has a new one, and other servers may have removed its"
                            + " users");
        } else if (renewed && started && !held) {
            LOG.log(Level.INFO, "The lease of this server is renewed again");
        }
        held = renewed;
        started |= renewed;
    }

    private void search() {
        CompletionStage<Void> judged =
                mayJudge() ? nodes.withoutLease().thenCompose(this::judge) : CompletableFuture.completedFuture(null);
        judged.whenCompleteAsync(
                (done, failed) -> {
                    if (!ended) {
                        loop.after(lease.dividedBy(SEARCHES), this::search);
                    }
                },
                loop);
    }

    private CompletionStage<Void> judge(Set<String> ids) {
        return nodes.recordGone(ids)
                .thenComposeAsync(
                        all -> {
                            listener.gone(all);
                            return cleanUp(ids);
                        },
                        loop);
    }

    /** Tells the listener which nodes are gone, before this one may judge others. On the loop. */
    void tellGone(Map<String, Instant> all) {
        listener.gone(all);
    }

    private CompletionStage<Void> cleanUp(Set<String> ids) {
        reported.retainAll(ids);
        for (String id : ids) {
            if (reported.add(id)) {
                LOG.log(Level.WARNING, "Server " + id + " is gone: its lease has run out. Its users are being removed");
            }
        }
        return ids.isEmpty() ? CompletableFuture.completedFuture(null) : gone.apply(ids);
    }
}
