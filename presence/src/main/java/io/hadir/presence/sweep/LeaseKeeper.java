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
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps this node's lease and looks for nodes that have lost theirs.
 *
 * <p>Leases that are gone together, because Redis stood still or lost its data, say nothing about nodes. So a node
 * judges others only when its own renewals have gone well for a full lease: by then whoever is alive has renewed.
 */
public final class LeaseKeeper {
    private static final System.Logger LOG = System.getLogger(LeaseKeeper.class.getName());
    private static final int RENEWALS = 3;
    private static final int LOOKS = 10;
    /** A renewal that failed is tried again soon: what is left of the lease may not last for a usual pause. */
    private static final int TRIES = 30;

    private final Nodes nodes;
    private final Loop loop;
    private final Duration lease;
    private Function<Set<String>, CompletionStage<Boolean>> gone = ids -> CompletableFuture.completedFuture(false);
    private Listener listener = new Listener() {};
    private final Set<String> missed = new HashSet<>();
    private boolean held;
    private boolean started;
    private boolean good;
    private long goodSince;
    private boolean ended;
    private Loop.@Nullable Timer next;

    /** Who hears which nodes come and go; called on the loop. */
    public interface Listener {
        /** These nodes have gone of late and not come back; with each the time by Redis' clock at which it was noted. */
        default void gone(Map<String, Instant> nodes) {}

        /** This node had no lease for a while, and was gone to the others. */
        default void lost() {}
    }

    public LeaseKeeper(Nodes nodes, Loop loop, Duration lease) {
        this.nodes = nodes;
        this.loop = loop;
        this.lease = lease;
    }

    /** Who clears up after nodes that are gone; completes with whether nothing of them is left. */
    void onGone(Function<Set<String>, CompletionStage<Boolean>> handler) {
        gone = handler;
    }

    /** Who hears which nodes come and go; set once, before the start. */
    public void listen(Listener newListener) {
        listener = newListener;
    }

    /** Takes the lease and keeps it; completes with the first try, whatever came of it. */
    public CompletionStage<Void> start() {
        nodes.onReturn(() -> loop.execute(this::renewAtOnce));
        return CompletableFuture.supplyAsync(this::renew, loop).thenCompose(first -> {
            loop.after(lease.dividedBy(LOOKS), this::look);
            return first;
        });
    }

    /** Gives the lease up. */
    public CompletionStage<Void> stop() {
        return CompletableFuture.runAsync(() -> ended = true, loop).thenCompose(done -> nodes.endLease());
    }

    /** Whether this node may conclude from a missing lease that a node is gone. On the loop. */
    boolean mayJudge() {
        return good && loop.nanos() - goodSince >= lease.toNanos();
    }

    /** Something was seen that makes this node's view of the others doubtful. On the loop. */
    void doubt() {
        good = false;
    }

    /** The link is back, and may not stay until the next renewal is due. */
    private void renewAtOnce() {
        Loop.Timer due = next;
        if (due != null && !ended) {
            due.cancel();
            renew();
        }
    }

    private CompletionStage<Void> renew() {
        next = null;
        return nodes.renewLease()
                .handleAsync(
                        (kept, failed) -> {
                            boolean lost = started && failed == null && !kept;
                            say(failed == null, failed == null && kept);
                            if (failed != null) {
                                good = false;
                            } else if (!kept || !good) {
                                good = true;
                                goodSince = loop.nanos();
                            }
                            if (!ended) {
                                next = loop.after(lease.dividedBy(failed == null ? RENEWALS : TRIES), this::renew);
                            }
                            if (lost) {
                                listener.lost();
                            }
                            return null;
                        },
                        loop);
    }

    private void say(boolean renewed, boolean kept) {
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

    private void look() {
        CompletionStage<Void> looked =
                mayJudge() ? nodes.withoutLease().thenCompose(this::judge) : CompletableFuture.completedFuture(null);
        looked.whenCompleteAsync(
                (done, failed) -> {
                    if (!ended) {
                        loop.after(lease.dividedBy(LOOKS), this::look);
                    }
                },
                loop);
    }

    private CompletionStage<Void> judge(Set<String> ids) {
        return nodes.noteGone(ids)
                .thenComposeAsync(
                        all -> {
                            listener.gone(all);
                            return clearUp(ids);
                        },
                        loop);
    }

    private CompletionStage<Void> clearUp(Set<String> ids) {
        missed.retainAll(ids);
        for (String id : ids) {
            if (missed.add(id)) {
                LOG.log(Level.WARNING, "Server " + id + " is gone: its lease has run out. Its users are being removed");
            }
        }
        if (ids.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        return gone.apply(ids)
                .thenCompose(clear -> clear ? nodes.forget(ids) : CompletableFuture.completedFuture(null));
    }
}
