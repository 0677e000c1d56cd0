package io.hadir.presence.sweep;

import io.hadir.presence.LocalNode;
import io.hadir.presence.Stores;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Sighting;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Sweeps at an interval. Every node compares the seats of its own sockets. One node at a time also scans everything,
 * see {@link ScanRun}: it removes the presences of dead nodes, and asks the other nodes whether they have the sockets
 * that presences name.
 */
public final class Sweeper {
    private static final System.Logger LOG = System.getLogger(Sweeper.class.getName());

    /** Only every tenth scan searches for what Hadir never writes, such as an online key without a TTL. */
    private static final int SCANS_PER_THOROUGH_SCAN = 10;

    private final LocalNode node;
    private final Stores stores;
    private final PresenceScan scan;
    private final Nodes nodes;
    private final LeaseKeeper lease;
    private final SeatSweep seats;
    private final Loop loop;
    private final InstantSource clock;
    private final PresenceSettings settings;
    private boolean scanning;
    private boolean ended;
    private final AtomicLong scanned = new AtomicLong();
    private long scanBegun;
    private int scans;
    private volatile @Nullable SweepReport last;
    private Consumer<SweepReport> observer = report -> {};

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
        this.loop = loop;
        this.clock = clock;
        this.settings = settings;
        seats = new SeatSweep(node, stores.seats(), nodes, lease, loop);
        cleanup.onLostRecord(this::cleanUp);
        lease.onRegained(this::sweep);
    }

    /** Sets what gets the report of each sweep; called once, before the start. */
    public void onSwept(Consumer<SweepReport> newObserver) {
        observer = newObserver;
    }

    /** Begins to sweep at its interval. A longer scan does not delay the checks of the node's own sockets. */
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
        return Stages.begin(loop, node::checkRooms)
                .thenComposeAsync(
                        own -> {
                            long before = seats.removed();
                            return seats.sweep(own.shared())
                                    .thenCompose(swept -> scan(true)
                                            .thenApplyAsync(
                                                    how -> report(
                                                            startedAt,
                                                            begun,
                                                            seats.removed() - before,
                                                            own.answered() && swept,
                                                            how),
                                                    loop));
                        },
                        loop)
                .exceptionally(failed -> report(startedAt, begun, 0, false, Scan.ELSEWHERE))
                .whenCompleteAsync(
                        (report, failed) -> {
                            last = report;
                            observer.accept(report);
                            if (report.removed() > 0) {
                                LOG.log(
                                        Level.INFO,
                                        "The sweep removed users without a live socket: " + report.removed());
                            }
                        },
                        loop);
    }

    private SweepReport report(Instant startedAt, long begun, long removed, boolean whole, Scan how) {
        Duration took = Duration.ofNanos(loop.nanos() - begun);
        boolean here = how != Scan.ELSEWHERE;
        return new SweepReport(
                startedAt,
                took,
                here ? Duration.ofNanos(loop.nanos() - scanBegun) : null,
                here ? scanned.get() : 0,
                removed,
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
    public record ToRepair(
            List<Sighting> seats,
            Map<RoomId, Set<UserId>> dead,
            List<RoomId> rooms,
            List<RoomId> unsound,
            Set<UserId> online) {}

    /** Repairs what an audit has found, by the steps of a sweep; false if that is not possible now. On the loop. */
    public CompletionStage<Boolean> repair(ToRepair found) {
        Repairs repairs = new Repairs(stores, scan);
        return repairs.repairRooms(found.unsound())
                .thenCompose(repaired -> seats.sweep(found.seats()))
                .thenCompose(swept -> Stages.inBatches(
                                List.copyOf(found.dead().entrySet()),
                                Repairs.ROOMS_AT_ONCE,
                                room -> stores.rooms().announceExpired(room.getKey(), room.getValue(), null))
                        .thenCompose(done -> repairs.repairHints(found.rooms()))
                        .thenCompose(done -> repairs.removeEmpty(found.rooms()))
                        .thenCompose(done -> repairs.limitOnline(found.online()))
                        .thenApply(done -> swept))
                .handle((swept, failed) -> failed == null && swept && repairs.isUnbroken());
    }

    /** Cleans up after dead nodes whose record is lost; false if that is not possible now. On the loop. */
    private CompletionStage<Boolean> cleanUp(Set<String> ids) {
        long before = seats.removed();
        return scan(false)
                .thenApplyAsync(
                        how -> {
                            if (how == Scan.FINISHED) {
                                LOG.log(
                                        Level.INFO,
                                        "Cleaned up after dead servers: " + ids + "; users removed: "
                                                + (seats.removed() - before));
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
        scanBegun = loop.nanos();
    }

    private CompletionStage<Scan> scanLocked() {
        beginScan();
        boolean thorough = scans++ % SCANS_PER_THOROUGH_SCAN == 0;
        ScanRun run = new ScanRun(
                seats,
                new Repairs(stores, scan),
                stores.directory(),
                scan,
                nodes,
                loop,
                settings,
                thorough,
                scanned,
                () -> ended);
        return run.run()
                .thenCompose(finished ->
                        nodes.unlockScan(finished).thenApply(done -> finished ? Scan.FINISHED : Scan.BROKEN));
    }
}
