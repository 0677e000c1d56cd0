package io.hadir.presence.sweep;

import io.hadir.presence.LocalNode;
import io.hadir.presence.Occupancy;
import io.hadir.presence.Stores;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares presences with live sockets, and removes presences without one.
 *
 * <p>Every node checks its own sockets. One node at a time also scans everything: it removes the presences of dead nodes, and
 * asks the other nodes whether they have the sockets that presences name.
 */
public final class Sweeper {
    private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());
    private static final int ROOMS_AT_ONCE = 100;
    private static final int DIRECTORY_AT_ONCE = 500;

    private final LocalNode node;
    private final Stores stores;
    private final PresenceScan scan;
    private final Nodes nodes;
    private final LeaseKeeper lease;
    private final Occupancy occupancy;
    private final Loop loop;
    private final InstantSource clock;
    private final PresenceSettings settings;
    private boolean scanning;
    private boolean ended;
    private long scanned;
    private long removed;
    private volatile @Nullable SweepReport last;
    private Consumer<SweepReport> swept = report -> {};

    public Sweeper(
            LocalNode node,
            Stores stores,
            PresenceScan scan,
            Nodes nodes,
            LeaseKeeper lease,
            Loop loop,
            InstantSource clock,
            PresenceSettings settings) {
        this.node = node;
        this.stores = stores;
        this.scan = scan;
        this.nodes = nodes;
        this.lease = lease;
        this.occupancy = new Occupancy(stores);
        this.loop = loop;
        this.clock = clock;
        this.settings = settings;
        nodes.listen(sightings -> loop.execute(() -> node.answer(sightings)));
        lease.onGone(this::clearUp);
    }

    /** Sets what gets the report of each sweep; called once, before the start. */
    public void onSwept(Consumer<SweepReport> observer) {
        swept = observer;
    }

    /** Begins to sweep at its interval. A scan that takes longer does not delay the checks of the node's own sockets. */
    public void start() {
        loop.after(settings.sweep(), () -> {
            if (!ended) {
                start();
                sweep();
            }
        });
    }

    public void stop() {
        loop.execute(() -> ended = true);
    }

    /** The report of the last sweep, null before the first. */
    public @Nullable SweepReport last() {
        return last;
    }

    /** Sweeps now. */
    public CompletionStage<SweepReport> sweep() {
        Instant startedAt = clock.instant();
        long begun = loop.nanos();
        return CompletableFuture.supplyAsync(node::checkRooms, loop)
                .thenCompose(checked -> checked)
                .thenComposeAsync(
                        whole -> scan(true).thenApplyAsync(how -> report(startedAt, begun, whole, how), loop), loop)
                .exceptionally(failed -> report(startedAt, begun, false, Scan.BROKEN))
                .whenCompleteAsync(
                        (report, failed) -> {
                            last = report;
                            swept.accept(report);
                            if (report.removed() > 0) {
                                LOG.log(
                                        Level.INFO,
                                        "The sweep removed users without a live socket: " + report.removed());
                            }
                        },
                        loop);
    }

    private SweepReport report(Instant startedAt, long begun, boolean whole, Scan how) {
        Duration took = Duration.ofNanos(loop.nanos() - begun);
        boolean here = how != Scan.ELSEWHERE;
        return new SweepReport(startedAt, took, here ? scanned : 0, here ? removed : 0, whole && how != Scan.BROKEN);
    }

    /**
     * What an audit has found to repair.
     *
     * @param seats the seats to compare with live sockets
     * @param dead users without a presence who have hints or details in these rooms
     * @param rooms the rooms about which the list of occupied rooms is wrong
     * @param unsound the rooms that have a key of the wrong type or content
     * @param online users whose online keys do not expire in time
     */
    public record Repairs(
            List<Sighting> seats,
            Map<RoomId, Map<UserId, Optional<LeaveReason>>> dead,
            List<RoomId> rooms,
            List<RoomId> unsound,
            Set<UserId> online) {}

    /** Repairs what an audit has found, by the steps of a sweep; false if that is not possible now. On the loop. */
    public CompletionStage<Boolean> repair(Repairs found) {
        if (scanning) {
            return CompletableFuture.completedFuture(false);
        }
        scanning = true;
        Progress progress = new Progress();
        return repair(found.unsound(), progress)
                .thenCompose(repaired -> judge(found.seats()))
                .thenCompose(judged -> Stages.inBatches(
                                List.copyOf(found.dead().entrySet()),
                                ROOMS_AT_ONCE,
                                room -> stores.rooms().announceExpired(room.getKey(), room.getValue()))
                        .thenCompose(done -> checkHints(found.rooms(), progress))
                        .thenCompose(done -> occupancy.removeEmpty(found.rooms()))
                        .thenCompose(done -> limitOnline(found.online()))
                        .thenApply(done -> judged))
                .handle((judged, failed) -> failed == null && judged && progress.unbroken)
                .thenCompose(good -> nodes.unlockScan(false).thenApply(done -> good))
                .whenCompleteAsync((done, failed) -> scanning = false, loop);
    }

    private CompletionStage<Boolean> clearUp(Set<String> ids) {
        return scan(false)
                .thenApplyAsync(
                        how -> {
                            if (how == Scan.FINISHED) {
                                LOG.log(
                                        Level.INFO,
                                        "Cleaned up after dead servers: " + ids + "; users removed: " + removed);
                            }
                            return how == Scan.FINISHED;
                        },
                        loop);
    }

    /** How a scan ended. */
    private enum Scan {
        FINISHED,
        BROKEN,
        /** Another node scans, or has just scanned. */
        ELSEWHERE
    }

    private CompletionStage<Scan> scan(boolean onlyIfDue) {
        if (scanning) {
            return CompletableFuture.completedFuture(Scan.ELSEWHERE);
        }
        scanning = true;
        return nodes.lockScan(onlyIfDue)
                .thenComposeAsync(
                        locked -> locked ? scanLocked() : CompletableFuture.completedFuture(Scan.ELSEWHERE), loop)
                .whenCompleteAsync((done, failed) -> scanning = false, loop);
    }

    private CompletionStage<Scan> scanLocked() {
        scanned = 0;
        removed = 0;
        Progress progress = new Progress();
        return progress.tolerate(scan.each(found -> progress.watch(repair(found.unsound(), progress)
                        .thenCompose(repaired -> judge(found.presences())
                                .thenCombine(checkHints(found.rooms(), progress), (judged, checked) -> judged)))))
                .thenCompose(done -> progress.tolerate(scan.eachLastingOnline(this::limitOnline)))
                .thenCompose(done -> occupancy.sweep())
                .handle((done, failed) -> failed == null && progress.unbroken ? Scan.FINISHED : Scan.BROKEN)
                .thenCompose(how -> nodes.unlockScan(how == Scan.FINISHED).thenApply(done -> how));
    }

    private CompletionStage<Void> repair(List<RoomId> unsound, Progress progress) {
        return Stages.all(unsound.stream()
                .map(room -> progress.tolerate(stores.rooms().repair(room)))
                .toList());
    }

    private CompletionStage<Boolean> limitOnline(Set<UserId> users) {
        if (users.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        return scan.limitOnline(users).thenApply(done -> {
            LOG.log(Level.WARNING, "Repaired online keys of users that did not expire in time: " + users.size());
            return true;
        });
    }

    /** Whether every step so far has succeeded. */
    private static final class Progress {
        private volatile boolean unbroken = true;

        /** Continues after a failure. */
        CompletionStage<Void> tolerate(CompletionStage<Void> step) {
            return step.exceptionally(failed -> {
                unbroken = false;
                return null;
            });
        }

        CompletionStage<Boolean> watch(CompletionStage<Boolean> step) {
            return step.whenComplete((good, failed) -> {
                if (failed != null || !good) {
                    unbroken = false;
                }
            });
        }
    }

    /** Reads the leases after the presences, so a node that has just started has its lease. */
    private CompletionStage<Boolean> judge(List<Sighting> sightings) {
        Set<String> named = new HashSet<>();
        for (Sighting sighting : sightings) {
            sighting.sockets().forEach(socket -> named.add(socket.node()));
        }
        return nodes.lockScan(false)
                .thenCombineAsync(
                        nodes.alive(named),
                        (locked, alive) -> {
                            if (alive.isEmpty()) {
                                lease.doubt();
                            }
                            return locked && alive.isPresent() && lease.mayJudge()
                                    ? sort(sightings, alive.get())
                                    : CompletableFuture.completedFuture(false);
                        },
                        loop)
                .thenCompose(judged -> judged);
    }

    /** Sweeps the sockets of dead nodes, and asks the other nodes about theirs. */
    private CompletionStage<Boolean> sort(List<Sighting> sightings, Set<String> alive) {
        scanned += sightings.size();
        Map<String, List<Sighting>> questions = new HashMap<>();
        List<CompletionStage<Void>> swept = new ArrayList<>();
        for (Sighting sighting : sightings) {
            Set<SocketId> dead = new HashSet<>();
            for (SocketId socket : sighting.sockets()) {
                if (alive.contains(socket.node())) {
                    questions
                            .computeIfAbsent(socket.node(), node -> new ArrayList<>())
                            .add(sighting);
                } else {
                    dead.add(socket);
                }
            }
            if (!dead.isEmpty()) {
                swept.add(sweep(sighting.seat(), dead));
            }
        }
        questions.forEach((owner, asked) -> {
            if (owner.equals(nodes.self())) {
                node.answer(asked);
            } else {
                nodes.ask(owner, asked);
            }
        });
        return Stages.all(swept).thenApply(done -> true);
    }

    private CompletionStage<Void> sweep(Seat seat, Set<SocketId> dead) {
        boolean foreign = dead.stream().allMatch(socket -> socket.node().isEmpty());
        LeaveReason reason = foreign ? LeaveReason.PRESENCE_LOST : LeaveReason.SERVER_GONE;
        return stores.seats().sweep(seat, reason, dead).thenAcceptAsync(out -> removed += out ? 1 : 0, loop);
    }

    /** Announces users who have hints and no presence, and adds occupied rooms to the directory. */
    private CompletionStage<Void> checkHints(List<RoomId> rooms, Progress progress) {
        Queue<RoomId> occupied = new ConcurrentLinkedQueue<>();
        List<CompletionStage<Void>> checked = new ArrayList<>();
        stores.rooms()
                .count(rooms)
                .forEach((room, counted) -> checked.add(progress.tolerate(counted.thenCompose(count -> {
                    if (count.alive() > 0) {
                        occupied.add(room);
                    }
                    return announceExpired(room, count.dead());
                }))));
        return Stages.all(checked)
                .thenCompose(done -> progress.tolerate(
                        Stages.inSlices(List.copyOf(occupied), DIRECTORY_AT_ONCE, stores.directory()::add)));
    }

    private CompletionStage<Void> announceExpired(RoomId room, List<UserId> dead) {
        Map<UserId, Optional<LeaveReason>> unknown = new HashMap<>();
        dead.forEach(user -> unknown.put(user, Optional.empty()));
        return unknown.isEmpty()
                ? CompletableFuture.completedFuture(null)
                : stores.rooms().announceExpired(room, unknown);
    }
}
