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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares presences with live sockets, and removes presences without one.
 *
 * <p>Every node checks its own sockets. One node at a time also scans everything: it removes the presences of dead nodes, and
 * asks the other nodes whether they have the sockets that presences name. The scan rests between its steps, so that it takes
 * no more than its share of Redis' time, however much there is to scan.
 */
public final class Sweeper {
    private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());
    private static final int ROOMS_AT_ONCE = 100;
    private static final int DIRECTORY_AT_ONCE = 500;
    private static final int ROOMS_COMPARED_AT_ONCE = 1000;
    private static final int SWEPT_AT_ONCE = 50;
    private static final int LOCK_RENEWALS = 3;

    /** How much of the store's time removals and repairs may take while a scan goes on. */
    private static final double REPAIR_SHARE = 0.5;

    /** What Hadir itself never writes, such as an online key without a TTL, is searched for in every tenth scan only. */
    private static final int SCANS_PER_THOROUGH_SCAN = 10;

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
    private final AtomicLong scanned = new AtomicLong();
    private long removed;
    private long scanBegun;
    private Claims claims = new Claims(0);
    private int scans;
    private volatile @Nullable SweepReport last;
    private Consumer<SweepReport> swept = report -> {};

    public Sweeper(
            LocalNode node,
            Stores stores,
            PresenceScan scan,
            Nodes nodes,
            LeaseKeeper lease,
            NodeCleanup cleanup,
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
        nodes.listenForClaims(
                seed -> CompletableFuture.supplyAsync(
                        () -> node.kept().stream()
                                .mapToLong(seat -> Claims.hash(seed, seat))
                                .toArray(),
                        loop),
                (claimant, seats) -> loop.execute(() -> claims.add(claimant, seats)));
        cleanup.onLostRecord(this::clearUp);
        lease.onRegained(this::sweep);
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

    /** The number of presences that the scan under way, or else the last one, has scanned. */
    public long scanned() {
        return scanned.get();
    }

    /** Sweeps now. */
    public CompletionStage<SweepReport> sweep() {
        Instant startedAt = clock.instant();
        long begun = loop.nanos();
        return CompletableFuture.supplyAsync(node::checkRooms, loop)
                .thenCompose(checked -> checked)
                .thenComposeAsync(
                        own -> judge(own.shared())
                                .thenCompose(judged -> scan(true)
                                        .thenApplyAsync(
                                                how -> report(startedAt, begun, own.answered() && judged, how), loop)),
                        loop)
                .exceptionally(failed -> report(startedAt, begun, false, Scan.ELSEWHERE))
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
        return new SweepReport(
                startedAt,
                took,
                here ? Duration.ofNanos(loop.nanos() - scanBegun) : null,
                here ? scanned.get() : 0,
                here ? removed : 0,
                whole && how != Scan.BROKEN);
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
                .handle((judged, failed) -> failed == null && judged && progress.unbroken);
    }

    /** Cleans up after dead nodes whose record is lost; false if that is not possible now. On the loop. */
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
        if (!lease.mayJudge()) {
            beginScan();
            return CompletableFuture.completedFuture(Scan.BROKEN);
        }
        scanning = true;
        return nodes.lockScan(onlyIfDue)
                .thenComposeAsync(
                        locked -> locked ? scanLocked() : CompletableFuture.completedFuture(Scan.ELSEWHERE), loop)
                .whenCompleteAsync((done, failed) -> scanning = false, loop);
    }

    private void beginScan() {
        scanned.set(0);
        removed = 0;
        scanBegun = loop.nanos();
    }

    private CompletionStage<Scan> scanLocked() {
        beginScan();
        // The answers come while the scan goes on. Until then it reads more.
        claims = new Claims(ThreadLocalRandom.current().nextLong());
        nodes.askForClaims(claims.seed());
        boolean thorough = scans++ % SCANS_PER_THOROUGH_SCAN == 0;
        Pass pass = new Pass(thorough);
        pass.keepLock();
        return pass.tolerate(scan.each(pass.pace, pass::isKept, thorough, pass::take))
                .thenCompose(done -> pass.interrupted || !pass.unbroken ? nothing() : pass.compareRooms(null))
                .thenCompose(done -> pass.interrupted || !thorough
                        ? nothing()
                        : pass.tolerate(scan.eachLastingOnline(pass.pace, this::limitOnline)))
                .handle((done, failed) ->
                        failed == null && pass.unbroken && !pass.interrupted ? Scan.FINISHED : Scan.BROKEN)
                .thenComposeAsync(
                        how -> {
                            pass.over = true;
                            claims = new Claims(0);
                            return nodes.unlockScan(how == Scan.FINISHED).thenApply(done -> how);
                        },
                        loop);
    }

    private static CompletionStage<Void> nothing() {
        return CompletableFuture.completedFuture(null);
    }

    /** One scan of everything. */
    private final class Pass extends Progress {
        private final Pace pace = new Pace(loop, settings.sweepShare());

        /** Removals are urgent, but clients come first. */
        private final Pace repairs = new Pace(loop, REPAIR_SHARE);

        private final RoomBalances balances = new RoomBalances();
        private final boolean thorough;
        private boolean over;
        private boolean lost;
        private volatile boolean interrupted;

        /**
         * A scan.
         *
         * @param thorough whether it finds hints about rooms by itself, and not only those about rooms in the directory
         */
        Pass(boolean thorough) {
            this.thorough = thorough;
        }

        /** Keeps the right to scan, however long the steps and the rests between them take. */
        void keepLock() {
            loop.after(settings.lease().dividedBy(LOCK_RENEWALS), () -> {
                if (over) {
                    return;
                }
                nodes.lockScan(false)
                        .whenCompleteAsync(
                                (locked, failed) -> {
                                    if (failed == null && !locked) {
                                        lost = true;
                                    } else {
                                        keepLock();
                                    }
                                },
                                loop);
            });
        }

        /** Whether this node or another takes care of the seat. */
        boolean isKept(Seat seat) {
            return claims.has(seat) || node.keeps(seat);
        }

        CompletionStage<Boolean> take(PresenceScan.Finds found) {
            Set<RoomId> rooms = new HashSet<>();
            return CompletableFuture.supplyAsync(
                            () -> {
                                found.known().forEach(seat -> count(seat.room(), rooms));
                                found.presences()
                                        .forEach(seen -> count(seen.seat().room(), rooms));
                                found.hints().forEach((room, hints) -> balances.add(room, -hints));
                                rooms.addAll(found.hints().keySet());
                                scanned.addAndGet(
                                        found.known().size() + found.presences().size());
                                return repairs.measure(() -> watch(
                                        repair(found.unsound(), this).thenCompose(done -> judge(found.presences()))));
                            },
                            loop)
                    .thenCompose(judged -> judged)
                    .thenCompose(judged -> addToDirectory(rooms)
                            .thenCompose(done -> repairs.rest())
                            .thenApply(rested -> {
                                interrupted |= !judged || lost || ended;
                                return !interrupted;
                            }));
        }

        /** Counts a presence in a room, and adds the room if it is the first. */
        private void count(RoomId room, Set<RoomId> rooms) {
            if (balances.add(room, 1)) {
                rooms.add(room);
            }
        }

        private CompletionStage<Void> addToDirectory(Set<RoomId> rooms) {
            return rooms.isEmpty()
                    ? nothing()
                    : tolerate(pace.measure(() -> stores.directory().add(rooms)));
        }

        /**
         * Compares the hints about each room with the presences that the scan has found, and repairs the hints if their
         * numbers differ. What has changed during the scan is counted without need, but nothing is missed. A scan that missed
         * something could not compare, and is repeated soon.
         */
        CompletionStage<Void> compareRooms(@Nullable RoomId after) {
            return pace.measure(() -> stores.directory().after(after, ROOMS_COMPARED_AT_ONCE))
                    .thenCompose(rooms -> addHints(rooms).thenApply(done -> rooms))
                    .thenComposeAsync(
                            rooms -> {
                                List<RoomId> odd = rooms.stream()
                                        .filter(room -> balances.of(room) != 0)
                                        .toList();
                                List<RoomId> unseen = rooms.stream()
                                        .filter(room -> !balances.has(room))
                                        .toList();
                                return repairs.measure(() -> Stages.inSlices(odd, ROOMS_AT_ONCE, this::repairHints)
                                                .thenCompose(done ->
                                                        Stages.inSlices(unseen, ROOMS_AT_ONCE, occupancy::removeEmpty)))
                                        .thenCompose(done -> repairs.rest())
                                        .thenCompose(done -> pace.rest())
                                        .thenCompose(done -> rooms.size() < ROOMS_COMPARED_AT_ONCE
                                                ? CompletableFuture.completedFuture(null)
                                                : compareRooms(rooms.get(rooms.size() - 1)));
                            },
                            loop);
        }

        /** Reads the hints about these rooms, unless the scan has found them. */
        private CompletionStage<Void> addHints(List<RoomId> rooms) {
            if (thorough || rooms.isEmpty()) {
                return nothing();
            }
            return pace.measure(() -> scan.hints(rooms))
                    .thenComposeAsync(
                            found -> {
                                found.hints().forEach((room, hints) -> {
                                    if (hints > 0) {
                                        balances.add(room, -hints);
                                    }
                                });
                                return repair(found.unsound(), this);
                            },
                            loop);
        }

        private CompletionStage<Void> repairHints(List<RoomId> rooms) {
            return checkHints(rooms, this).thenCompose(done -> tolerate(occupancy.removeEmpty(rooms)));
        }
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
    private static class Progress {
        volatile boolean unbroken = true;

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

    /**
     * Compares presences with live sockets; false if this node may not judge others now. Reads the leases after the
     * presences, so a node that has just started has its lease.
     */
    private CompletionStage<Boolean> judge(List<Sighting> sightings) {
        Set<String> named = claims.nodes();
        if (sightings.isEmpty() && named.isEmpty()) {
            return CompletableFuture.completedFuture(true);
        }
        for (Sighting sighting : sightings) {
            sighting.sockets().forEach(socket -> named.add(socket.node()));
        }
        return nodes.alive(named)
                .thenComposeAsync(
                        alive -> {
                            if (alive.isEmpty()) {
                                lease.doubt();
                            } else {
                                named.stream()
                                        .filter(name -> !alive.get().contains(name))
                                        .forEach(claims::forget);
                            }
                            return alive.isPresent() && lease.mayJudge()
                                    ? sort(sightings, alive.get())
                                    : CompletableFuture.completedFuture(false);
                        },
                        loop);
    }

    /** Sweeps the sockets of dead nodes, and asks the other nodes about theirs. */
    private CompletionStage<Boolean> sort(List<Sighting> sightings, Set<String> alive) {
        Map<String, List<Sighting>> questions = new HashMap<>();
        Map<Seat, Set<SocketId>> dead = new LinkedHashMap<>();
        for (Sighting sighting : sightings) {
            for (SocketId socket : sighting.sockets()) {
                if (alive.contains(socket.node())) {
                    questions
                            .computeIfAbsent(socket.node(), node -> new ArrayList<>())
                            .add(sighting);
                } else {
                    dead.computeIfAbsent(sighting.seat(), seat -> new HashSet<>())
                            .add(socket);
                }
            }
        }
        questions.forEach((owner, asked) -> {
            if (owner.equals(nodes.self())) {
                node.answer(asked);
            } else {
                nodes.ask(owner, asked);
            }
        });
        return Stages.inBatches(
                        List.copyOf(dead.entrySet()), SWEPT_AT_ONCE, seat -> sweep(seat.getKey(), seat.getValue()))
                .thenApply(done -> true);
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
