package io.hadir.presence.inspect;

import io.hadir.presence.inspect.AuditReport.Finding;
import io.hadir.presence.inspect.AuditReport.Phase;
import io.hadir.presence.room.Loop;
import io.hadir.presence.room.PresenceUnavailableException;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One audit. It inspects everything once, then the discrepancies again and again, until they are gone or a sweep should
 * have repaired them. A running system is always in motion, so only a discrepancy that every inspection finds counts.
 * Lives on the loop.
 */
final class AuditRun {
    private static final System.Logger LOG = System.getLogger(AuditRun.class.getName());
    private static final int MOST_FOUND = 10_000;
    private static final int AT_ONCE = 200;
    private static final int REPAIRS = 3;
    private static final int INSPECTIONS_PER_SWEEP = 6;
    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    private final Map<Discrepancy, Long> found = new LinkedHashMap<>();
    private final Map<Discrepancy, Long> repaired = new LinkedHashMap<>();
    private final Map<Discrepancy, Long> known;
    private final PeerAnswers answers;
    private final SeatAudit seatAudit;
    private final FullAudit fullAudit;
    private final AuditRepair repairs;
    private final Loop loop;
    private final Instant startedAt;
    private final long begun;
    private final Duration sweep;
    private boolean repair;
    private boolean attempted;
    private int tried;
    private long passed;
    private boolean truncated;
    private Phase phase = Phase.LOOKING;
    private long ended;

    /**
     * An audit that has not begun.
     *
     * @param known the discrepancies of the audit before, each with the time it was first found
     * @param sweep the age by which a sweep should have repaired a discrepancy
     */
    AuditRun(Auditor.Parts parts, Map<Discrepancy, Long> known, Instant startedAt, Duration sweep) {
        this.known = known;
        this.loop = parts.loop();
        this.startedAt = startedAt;
        this.sweep = sweep;
        answers = new PeerAnswers(parts.peers());
        seatAudit = new SeatAudit(
                parts.stores(),
                parts.scan(),
                parts.records(),
                parts.nodes(),
                answers,
                parts.settings().grace());
        fullAudit = new FullAudit(
                parts.stores(),
                parts.scan(),
                parts.nodes(),
                answers,
                seatAudit,
                more -> loop.execute(() -> more.forEach(this::add)),
                loop);
        repairs = new AuditRepair(parts.sweeper(), parts.records(), loop);
        begun = loop.nanos();
    }

    void repairToo() {
        repair = true;
    }

    boolean isOver() {
        return phase.isOver();
    }

    /** The discrepancies that exist, each with the time it was first found. */
    Map<Discrepancy, Long> found() {
        return Map.copyOf(found);
    }

    /** Completes with the final report, also if the audit fails. */
    CompletionStage<AuditReport> run() {
        return fullAudit
                .run()
                .thenRunAsync(() -> {}, loop)
                .thenCompose(done -> inspectUntilSettled())
                .handleAsync(
                        (done, failed) -> {
                            ended = loop.nanos();
                            phase = failed == null ? Phase.FINISHED : Phase.FAILED;
                            if (failed != null) {
                                logFailure(failed);
                            }
                            return report();
                        },
                        loop);
    }

    private static void logFailure(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        if (cause instanceof PresenceUnavailableException) {
            LOG.log(Level.WARNING, "An audit failed: " + cause.getMessage());
        } else {
            LOG.log(Level.WARNING, "An audit failed", cause);
        }
    }

    private void add(Discrepancy discrepancy) {
        if (found.size() < MOST_FOUND || found.containsKey(discrepancy)) {
            found.putIfAbsent(discrepancy, Objects.requireNonNullElse(known.get(discrepancy), loop.nanos()));
        } else {
            truncated = true;
        }
    }

    private CompletionStage<Void> inspectUntilSettled() {
        if (found.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        phase = Phase.LOOKING_AGAIN;
        return pause().thenCompose(done -> inspectFound())
                .thenComposeAsync(
                        still -> {
                            keep(still);
                            boolean old = found.keySet().stream().allMatch(this::isOld);
                            if (mayRepair(old)) {
                                phase = Phase.REPAIRING;
                                attempted = true;
                                return repairs.of(found.keySet())
                                        .thenComposeAsync(
                                                done -> {
                                                    tried += done ? 1 : 0;
                                                    return inspectUntilSettled();
                                                },
                                                loop);
                            }
                            return old || tried >= REPAIRS
                                    ? CompletableFuture.completedFuture(null)
                                    : inspectUntilSettled();
                        },
                        loop);
    }

    /** A repair that has to wait, as for another node's sweep, is retried for as long as a sweep may take. */
    private boolean mayRepair(boolean old) {
        boolean late = old && age(begun).compareTo(sweep) > 0;
        return repair && !found.isEmpty() && tried < REPAIRS && !late;
    }

    private void keep(Set<Discrepancy> still) {
        Map<Discrepancy, Long> gone = new LinkedHashMap<>(found);
        gone.keySet().removeAll(still);
        found.keySet().retainAll(still);
        if (attempted) {
            repaired.putAll(gone);
        } else {
            passed += gone.size();
        }
    }

    private CompletionStage<Void> pause() {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Duration pause = sweep.dividedBy(INSPECTIONS_PER_SWEEP);
        pause = pause.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause;
        loop.after(pause.compareTo(SHORTEST_PAUSE) < 0 ? SHORTEST_PAUSE : pause, () -> over.complete(null));
        return over;
    }

    private CompletionStage<Set<Discrepancy>> inspectFound() {
        Map<Seat, Set<SocketId>> seats = new LinkedHashMap<>();
        Set<RoomId> rooms = new LinkedHashSet<>();
        List<UserId> users = new ArrayList<>();
        for (Discrepancy discrepancy : found.keySet()) {
            Seat seat = discrepancy.seat();
            RoomId room = discrepancy.room();
            if (room == null) {
                users.add(Objects.requireNonNull(discrepancy.user()));
            } else if (seat == null) {
                rooms.add(room);
            } else {
                Set<SocketId> claimed = seats.computeIfAbsent(seat, key -> new HashSet<>());
                if (discrepancy.kind() == Discrepancy.Kind.SOCKET_WITHOUT_KEY) {
                    claimed.add(Objects.requireNonNull(discrepancy.socket()));
                }
            }
        }
        Set<Discrepancy> still = ConcurrentHashMap.newKeySet();
        return Stages.inBatches(
                        parts(List.copyOf(seats.entrySet())),
                        1,
                        part -> seatAudit.atSeats(asMap(part)).thenAccept(still::addAll))
                .thenCompose(done -> Stages.inBatches(
                        parts(List.copyOf(rooms)),
                        1,
                        part -> seatAudit.atRooms(part).thenAccept(still::addAll)))
                .thenCompose(done -> Stages.inBatches(
                        parts(users), 1, part -> seatAudit.atUsers(part).thenAccept(still::addAll)))
                .thenApply(done -> still);
    }

    private static <T> List<List<T>> parts(List<T> items) {
        List<List<T>> parts = new ArrayList<>();
        for (int from = 0; from < items.size(); from += AT_ONCE) {
            parts.add(items.subList(from, Math.min(items.size(), from + AT_ONCE)));
        }
        return parts;
    }

    private static Map<Seat, Set<SocketId>> asMap(List<Map.Entry<Seat, Set<SocketId>>> seats) {
        Map<Seat, Set<SocketId>> map = new HashMap<>();
        seats.forEach(seat -> map.put(seat.getKey(), seat.getValue()));
        return map;
    }

    private boolean isOld(Discrepancy discrepancy) {
        return age(Objects.requireNonNull(found.get(discrepancy))).compareTo(sweep) > 0;
    }

    private Duration age(long since) {
        return Duration.ofNanos((isOver() ? ended : loop.nanos()) - since);
    }

    AuditReport report() {
        return new AuditReport(
                startedAt,
                age(begun),
                phase,
                repair,
                fullAudit.inspected(),
                passed,
                sweep,
                findings(found),
                findings(repaired),
                answers.missing(),
                truncated);
    }

    private List<Finding> findings(Map<Discrepancy, Long> seen) {
        return seen.entrySet().stream()
                .map(one -> new Finding(one.getKey(), age(one.getValue())))
                .sorted(Comparator.comparing(Finding::age).reversed())
                .toList();
    }
}
