package io.hadir.presence.sweep;

import io.hadir.presence.Stores;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Cleans up after dead nodes: walks the record of the rooms in which a node had sockets, and takes these off their
 * seats. The cost grows with these rooms, not with what else is in Redis.
 *
 * <p>A node is dead if its lease has run out, see {@link LeaseKeeper}. Or it is certainly dead: its process is gone
 * from this machine. Then its presences get the rest of a grace period that began with its last sign of life.
 */
public final class NodeCleanup {
    private static final System.Logger LOG = System.getLogger(NodeCleanup.class.getName());
    private static final int ROOMS_AT_ONCE = 32;
    private static final int USERS_AT_ONCE = 100;
    /** How soon a cleanup that could not finish goes on. */
    private static final Duration RETRY = Duration.ofSeconds(1);
    /** Redis' clock goes on while its answer is under way. */
    private static final Duration EXPIRY_MARGIN = Duration.ofMillis(50);

    private final Stores stores;
    private final Nodes nodes;
    private final LeaseKeeper lease;
    private final Loop loop;
    private final PresenceSettings settings;
    private Function<Set<String>, CompletionStage<Boolean>> scan = ids -> CompletableFuture.completedFuture(false);

    public NodeCleanup(Stores stores, Nodes nodes, LeaseKeeper lease, Loop loop, PresenceSettings settings) {
        this.stores = stores;
        this.nodes = nodes;
        this.lease = lease;
        this.loop = loop;
        this.settings = settings;
        lease.onGone(this::after);
    }

    /** Sets what cleans up after nodes whose record is lost; it completes with whether nothing of them is left. */
    void onLostRecord(Function<Set<String>, CompletionStage<Boolean>> handler) {
        scan = handler;
    }

    /** How a walk ended. */
    private enum End {
        FINISHED,
        /** The node is alive, or this one may not judge now. */
        STOPPED,
        /** Another node cleans up, or has done so. */
        ELSEWHERE,
        /** Not every room could be reached. */
        BROKEN,
        /** The record is lost, wholly or in part. */
        LOST
    }

    /** What one walk does. */
    private final class Walk {
        final String node;
        final Nodes.@Nullable LastSign certain;
        final @Nullable Instant graceUntil;
        final List<RoomId> inGrace = new ArrayList<>();
        long removed;
        End end = End.FINISHED;

        Walk(String node, Nodes.@Nullable LastSign certain) {
            this.node = node;
            this.certain = certain;
            graceUntil = certain == null ? null : certain.at().plus(settings.grace());
        }

        CompletionStage<End> go() {
            end = End.FINISHED;
            return stores.nodeRooms()
                    .each(node, this::step)
                    .thenApplyAsync(whole -> end == End.FINISHED && !whole ? End.LOST : end, loop);
        }

        private CompletionStage<Boolean> step(List<RoomId> rooms) {
            return nodes.lockCleanup(node, certain)
                    .thenComposeAsync(
                            lock -> {
                                if (lock == Nodes.CleanupLock.UNSURE) {
                                    lease.doubt();
                                }
                                if (lock == Nodes.CleanupLock.TAKEN) {
                                    end = End.ELSEWHERE;
                                } else if (lock != Nodes.CleanupLock.LOCKED || (certain == null && !lease.mayJudge())) {
                                    end = End.STOPPED;
                                }
                                return end == End.FINISHED || end == End.BROKEN
                                        ? Stages.inBatches(rooms, ROOMS_AT_ONCE, this::cleanUpIfReachable)
                                                .thenApply(done -> true)
                                        : CompletableFuture.completedFuture(false);
                            },
                            loop);
        }

        private CompletionStage<Void> cleanUpIfReachable(RoomId room) {
            return Stages.on(loop, cleanUp(room)).exceptionally(failed -> {
                end = End.BROKEN;
                return null;
            });
        }

        private CompletionStage<Void> cleanUp(RoomId room) {
            return stores.seats()
                    .cleanUp(room, node, graceUntil)
                    .thenComposeAsync(
                            cleaned -> {
                                removed += cleaned.removed();
                                if (cleaned.inGrace().isEmpty()) {
                                    return CompletableFuture.completedFuture(null);
                                }
                                inGrace.add(room);
                                return Stages.inBatches(
                                        cleaned.inGrace(),
                                        USERS_AT_ONCE,
                                        user -> stores.seats().rememberRooms(user, List.of(room)));
                            },
                            loop);
        }
    }

    /** Cleans up after nodes without a lease, as far as this is possible now. On the loop. */
    private CompletionStage<Void> after(Set<String> ids) {
        return Stages.inBatches(List.copyOf(ids), 1, id -> after(id).exceptionally(failed -> null));
    }

    private CompletionStage<Void> after(String id) {
        Walk walk = new Walk(id, null);
        return walk.go().thenCompose(end -> {
            if (end == End.LOST) {
                // Not awaited: it may take long, and other nodes may die meanwhile.
                scan.apply(Set.of(id))
                        .thenCompose(
                                clear -> clear ? nodes.forget(Set.of(id)) : CompletableFuture.completedFuture(null));
            }
            if (end != End.FINISHED) {
                return CompletableFuture.completedFuture(null);
            }
            LOG.log(Level.INFO, "Cleaned up after the dead server " + id + "; users removed: " + walk.removed);
            return nodes.forget(Set.of(id));
        });
    }

    /**
     * Cleans up after nodes that are certainly dead, without waiting for their leases to run out. Completes when that
     * is done. What cannot be done within the length of a lease is left to the leases.
     *
     * @param isCertain whether the process that gave this sign of life is gone; called on any thread
     */
    public CompletionStage<Void> afterPredecessors(Predicate<Nodes.LastSign> isCertain) {
        return nodes.lastSigns()
                .thenApplyAsync(signs -> signs.stream()
                        .filter(sign -> !sign.node().equals(nodes.self()))
                        .filter(isCertain)
                        .toList())
                .thenComposeAsync(dead -> Stages.inBatches(dead, 1, this::after), loop);
    }

    private CompletionStage<Void> after(Nodes.LastSign sign) {
        Walk walk = new Walk(sign.node(), sign);
        Duration rest = Duration.between(sign.readAt(), sign.at().plus(settings.grace()));
        if (!rest.isNegative()) {
            loop.after(rest.plus(EXPIRY_MARGIN), () -> expireLapses(walk.inGrace));
        }
        return after(sign, walk, loop.nanos());
    }

    private CompletionStage<Void> after(Nodes.LastSign sign, Walk walk, long begun) {
        return walk.go()
                .thenCompose(end -> end == End.FINISHED
                        ? forgetDead(sign, walk).thenApply(done -> end)
                        : CompletableFuture.completedFuture(end))
                .handleAsync(
                        (end, failed) -> {
                            boolean late =
                                    loop.nanos() - begun > settings.lease().toNanos();
                            boolean unfinished = failed != null || end == End.ELSEWHERE || end == End.BROKEN;
                            if (late || !unfinished) {
                                return CompletableFuture.<Void>completedFuture(null);
                            }
                            CompletableFuture<Void> again = new CompletableFuture<>();
                            loop.after(RETRY, () -> after(sign, walk, begun).whenComplete(Stages.into(again)));
                            return again;
                        },
                        loop)
                .thenCompose(done -> done);
    }

    /** Forgets a node that is certainly dead. */
    private CompletionStage<Void> forgetDead(Nodes.LastSign sign, Walk walk) {
        LOG.log(
                Level.INFO,
                "Cleaned up after the server " + sign.node() + ", which ran here before; users removed: " + walk.removed
                        + "; rooms with users in their grace period: " + walk.inGrace.size());
        return nodes.endLease(sign.node())
                .thenCompose(done -> nodes.recordGone(Set.of(sign.node())))
                .thenAcceptAsync(lease::tellGone, loop);
    }

    /** Announces users who did not return, also in rooms of which no node hears. If that fails, the sweep does it. */
    private void expireLapses(List<RoomId> rooms) {
        Stages.inBatches(List.copyOf(rooms), ROOMS_AT_ONCE, this::expireLapses);
    }

    private CompletionStage<Void> expireLapses(RoomId room) {
        return stores.rooms().expireLapses(room).thenCompose(next -> {
            if (next.isEmpty() || next.get().compareTo(EXPIRY_MARGIN) > 0) {
                return CompletableFuture.completedFuture(null);
            }
            CompletableFuture<Void> again = new CompletableFuture<>();
            loop.after(EXPIRY_MARGIN, () -> expireLapses(room).whenComplete(Stages.into(again)));
            return again;
        });
    }
}
