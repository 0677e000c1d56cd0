package io.hadir.presence.sweep;

import io.hadir.presence.RoomDirectory;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One scan of everything: sweeps every presence that no node claims, then compares the hints about each room with the
 * presences that it has seen. It rests between its steps, so that it takes no more than its share of Redis' time,
 * however much there is to scan.
 */
final class ScanRun {
    private static final int ROOMS_COMPARED_AT_ONCE = 1000;
    private static final int LOCK_RENEWALS = 3;

    /** How much of the store's time removals and repairs may take. They are urgent, but clients come first. */
    private static final double REPAIR_SHARE = 0.5;

    private final SeatSweep seats;
    private final Repairs repairs;
    private final RoomDirectory directory;
    private final PresenceScan scan;
    private final Nodes nodes;
    private final Loop loop;
    private final PresenceSettings settings;
    private final boolean thorough;
    private final AtomicLong scanned;
    private final BooleanSupplier stopped;
    private final Pace pace;
    private final Pace repairPace;
    private final RoomBalances balances = new RoomBalances();
    private boolean over;
    private boolean lostLock;
    private volatile boolean interrupted;

    /**
     * A scan that has not begun.
     *
     * @param thorough whether it finds hints about rooms by itself, and not only those about rooms in the directory
     * @param scanned counts the presences that were scanned
     * @param stopped whether the scan must end early
     */
    ScanRun(
            SeatSweep seats,
            Repairs repairs,
            RoomDirectory directory,
            PresenceScan scan,
            Nodes nodes,
            Loop loop,
            PresenceSettings settings,
            boolean thorough,
            AtomicLong scanned,
            BooleanSupplier stopped) {
        this.seats = seats;
        this.repairs = repairs;
        this.directory = directory;
        this.scan = scan;
        this.nodes = nodes;
        this.loop = loop;
        this.settings = settings;
        this.thorough = thorough;
        this.scanned = scanned;
        this.stopped = stopped;
        pace = new Pace(loop, settings.sweepShare());
        repairPace = new Pace(loop, REPAIR_SHARE);
    }

    /** Scans; completes with whether nothing was missed. On the loop, with the right to scan. */
    CompletionStage<Boolean> run() {
        seats.askForClaims();
        keepLock();
        return repairs.tolerate(scan.each(pace, seats::isKept, thorough, this::take))
                .thenCompose(done -> interrupted || !repairs.isUnbroken() ? nothing() : compareRooms(null))
                .thenCompose(done -> interrupted || !thorough
                        ? nothing()
                        : repairs.tolerate(scan.eachLastingOnline(pace, repairs::limitOnline)))
                .handleAsync(
                        (done, failed) -> {
                            over = true;
                            seats.forgetClaims();
                            return failed == null && repairs.isUnbroken() && !interrupted;
                        },
                        loop);
    }

    /** Keeps the right to scan, however long the steps and the rests between them take. */
    private void keepLock() {
        loop.after(settings.lease().dividedBy(LOCK_RENEWALS), () -> {
            if (over) {
                return;
            }
            nodes.lockScan(false)
                    .whenCompleteAsync(
                            (locked, failed) -> {
                                if (failed == null && !locked) {
                                    lostLock = true;
                                } else {
                                    keepLock();
                                }
                            },
                            loop);
        });
    }

    /** Takes what one step of the scan has found; false if the scan must end. */
    private CompletionStage<Boolean> take(PresenceScan.Found found) {
        Set<RoomId> rooms = new HashSet<>();
        return CompletableFuture.supplyAsync(
                        () -> {
                            found.known().forEach(seat -> count(seat.room(), rooms));
                            found.presences().forEach(seen -> count(seen.seat().room(), rooms));
                            found.hints().forEach((room, hints) -> balances.add(room, -hints));
                            rooms.addAll(found.hints().keySet());
                            scanned.addAndGet(
                                    found.known().size() + found.presences().size());
                            return repairPace.measure(() -> repairs.watch(repairs.repairRooms(found.unsound())
                                    .thenCompose(done -> seats.sweep(found.presences()))));
                        },
                        loop)
                .thenCompose(swept -> swept)
                .thenCompose(swept -> addToDirectory(rooms)
                        .thenCompose(done -> repairPace.rest())
                        .thenApply(rested -> {
                            interrupted |= !swept || lostLock || stopped.getAsBoolean();
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
        return rooms.isEmpty() ? nothing() : repairs.tolerate(pace.measure(() -> directory.add(rooms)));
    }

    /**
     * Compares the hints about each room with the presences that the scan has found, and repairs the hints if their
     * numbers differ. A room that has changed during the scan is repaired without need, but nothing is missed. A scan
     * that missed something cannot compare, and is repeated soon.
     */
    private CompletionStage<Void> compareRooms(@Nullable RoomId after) {
        return pace.measure(() -> directory.after(after, ROOMS_COMPARED_AT_ONCE))
                .thenCompose(rooms -> addHints(rooms).thenApply(done -> rooms))
                .thenComposeAsync(
                        rooms -> {
                            List<RoomId> odd = rooms.stream()
                                    .filter(room -> balances.of(room) != 0)
                                    .toList();
                            List<RoomId> unseen = rooms.stream()
                                    .filter(room -> !balances.has(room))
                                    .toList();
                            return repairPace
                                    .measure(() -> Stages.inSlices(odd, Repairs.ROOMS_AT_ONCE, this::repairHints)
                                            .thenCompose(done -> Stages.inSlices(
                                                    unseen, Repairs.ROOMS_AT_ONCE, repairs::removeEmpty)))
                                    .thenCompose(done -> repairPace.rest())
                                    .thenCompose(done -> pace.rest())
                                    .thenCompose(done -> rooms.size() < ROOMS_COMPARED_AT_ONCE
                                            ? nothing()
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
                            return repairs.repairRooms(found.unsound());
                        },
                        loop);
    }

    private CompletionStage<Void> repairHints(List<RoomId> rooms) {
        return repairs.repairHints(rooms).thenCompose(done -> repairs.tolerate(repairs.removeEmpty(rooms)));
    }

    private static CompletionStage<Void> nothing() {
        return CompletableFuture.completedFuture(null);
    }
}
