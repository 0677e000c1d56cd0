package io.hadir.redis;

import io.hadir.presence.Happenings;
import io.hadir.presence.LeaveReason;
import io.hadir.presence.Page;
import io.hadir.presence.Participant;
import io.hadir.presence.PresenceScan;
import io.hadir.presence.PresenceSettings;
import io.hadir.presence.RoomId;
import io.hadir.presence.Seat;
import io.hadir.presence.SocketId;
import io.hadir.presence.Stages;
import io.hadir.presence.UserId;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongPredicate;

/** The only place where Hadir uses {@code SCAN}. */
public final class RedisPresenceScan implements PresenceScan {
    private static final Script SWEEP = Script.ofRoom("sweep");
    private static final int KEYS_AT_ONCE = 500;

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;
    private final RoomReader reader;
    private final RemovalStatistics statistics;
    private final PresenceSettings settings;
    private Happenings happenings = Happenings.UNSEEN;

    /**
     * A scan by one node.
     *
     * @param self the node that is noted as having done what is done
     */
    public RedisPresenceScan(RedisLink link, String self, RemovalStatistics statistics, PresenceSettings settings) {
        this.link = link;
        this.keys = new RedisKeys(link.isCluster());
        this.scripts = new RoomScripts(link, keys, settings.ttl(), self);
        this.reader = new RoomReader(scripts);
        this.statistics = statistics;
        this.settings = settings;
    }

    /** Who counts what happens; set once, before the start. */
    public void observe(Happenings observer) {
        happenings = observer;
    }

    @Override
    public CompletionStage<Void> eachPresence(Function<List<Sighting>, CompletionStage<Boolean>> step) {
        return scan(link.parts(), RedisKeys.EVERY_PRESENCE, found -> {
            Map<String, Seat> seats = new LinkedHashMap<>();
            found.forEach(key -> keys.seat(key).ifPresent(seat -> seats.put(key, seat)));
            return seats.isEmpty()
                    ? CompletableFuture.completedFuture(true)
                    : look(seats).thenCompose(step);
        });
    }

    @Override
    public CompletionStage<Void> eachRoom(Function<RoomId, CompletionStage<Boolean>> step) {
        return scan(link.parts(), RedisKeys.EVERY_INDEX, found -> {
            CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
            for (String key : found) {
                all = all.thenCompose(go -> go
                        ? keys.roomOfIndex(key).map(step).orElse(CompletableFuture.completedFuture(true))
                        : CompletableFuture.completedFuture(false));
            }
            return all;
        });
    }

    @Override
    public CompletionStage<Void> eachOrphan(Function<List<Seat>, CompletionStage<Boolean>> step) {
        return scan(link.parts(), RedisKeys.EVERY_DETAILS, found -> {
            List<Seat> seats = found.stream()
                    .map(keys::seatOfDetails)
                    .flatMap(Optional::stream)
                    .toList();
            return chosen(
                            seats,
                            seat -> link.read(keys.presence(seat), redis -> redis.exists(keys.presence(seat))),
                            there -> there == 0)
                    .thenCompose(orphans -> orphans.isEmpty()
                            ? CompletableFuture.completedFuture(true)
                            : step.apply(List.copyOf(orphans)));
        });
    }

    @Override
    public CompletionStage<Set<Seat>> withoutTtl(List<Seat> seats) {
        return chosen(
                seats,
                seat -> link.read(keys.presence(seat), redis -> redis.pttl(keys.presence(seat))),
                left -> left == -1);
    }

    /** The seats for which Redis answers so, each asked for by itself: they lie in many slots. */
    private static CompletionStage<Set<Seat>> chosen(
            List<Seat> seats, Function<Seat, CompletionStage<Long>> question, LongPredicate wanted) {
        List<CompletableFuture<Long>> answers = seats.stream()
                .map(seat -> question.apply(seat).toCompletableFuture())
                .toList();
        return Stages.all(answers).thenApply(done -> {
            Set<Seat> found = new LinkedHashSet<>();
            for (int i = 0; i < seats.size(); i++) {
                if (wanted.test(answers.get(i).join())) {
                    found.add(seats.get(i));
                }
            }
            return found;
        });
    }

    @Override
    public CompletionStage<Page> list(RoomId room) {
        Map<UserId, Participant> found = new ConcurrentHashMap<>();
        Part part = link.partOf(keys.index(room));
        return scan(part == null ? link.parts() : List.of(part), keys.everyPresence(room), step -> {
                    List<String> users = new ArrayList<>();
                    step.forEach(key -> keys.seat(key)
                            .ifPresent(seat -> users.add(seat.user().value())));
                    return users.isEmpty()
                            ? CompletableFuture.completedFuture(true)
                            : reader.seen(room, users).thenApply(page -> {
                                page.participants().forEach(alive -> found.put(alive.user(), alive));
                                return true;
                            });
                })
                .thenCompose(done -> reader.seen(room, List.of()))
                .thenApply(last -> new Page(List.copyOf(found.values()), null, last.revision()));
    }

    @Override
    public CompletionStage<Boolean> sweep(Seat seat, LeaveReason reason, Collection<SocketId> dead) {
        List<String> own = new ArrayList<>(List.of(
                seat.user().value(),
                reason.wire(),
                Long.toString(settings.grace().toMillis())));
        dead.forEach(socket -> own.add(socket.value()));
        return scripts.writeForText(SWEEP, seat.room(), own).thenApply(told -> {
            statistics.count(told);
            if (!told.isEmpty()) {
                happenings.swept(reason);
            }
            return !told.isEmpty();
        });
    }

    /** Scans part by part. One that cannot be scanned keeps nobody from the others, but in the end it has failed. */
    private CompletionStage<Void> scan(
            List<Part> parts, String pattern, Function<Collection<String>, CompletionStage<Boolean>> step) {
        if (parts.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        List<Part> others = parts.subList(1, parts.size());
        return scan(parts.get(0), ScanCursor.INITIAL, pattern, step)
                .handle((go, failed) -> {
                    if (failed == null) {
                        return go ? scan(others, pattern, step) : CompletableFuture.<Void>completedFuture(null);
                    }
                    return scan(others, pattern, step)
                            .thenCompose(done -> CompletableFuture.<Void>failedFuture(failed));
                })
                .thenCompose(done -> done);
    }

    /** Completes with whether to go on behind it. */
    private CompletionStage<Boolean> scan(
            Part part, ScanCursor cursor, String pattern, Function<Collection<String>, CompletionStage<Boolean>> step) {
        ScanArgs args = ScanArgs.Builder.matches(pattern).limit(KEYS_AT_ONCE);
        CompletionStage<KeyScanCursor<String>> page = link.read(part, redis -> redis.scan(cursor, args));
        return page.thenCompose(found -> step.apply(new HashSet<>(found.getKeys()))
                .thenCompose(go -> go && !found.isFinished()
                        ? scan(part, found, pattern, step)
                        : CompletableFuture.completedFuture(go)));
    }

    private CompletionStage<List<Sighting>> look(Map<String, Seat> seats) {
        String[] presences = seats.keySet().toArray(String[]::new);
        List<Seat> inOrder = List.copyOf(seats.values());
        String[] details = seats.values().stream().map(keys::details).toArray(String[]::new);
        CompletionStage<List<KeyValue<String, String>>> values = link.read(redis -> redis.mget(presences));
        CompletionStage<List<KeyValue<String, String>>> texts = link.read(redis -> redis.mget(details));
        CompletionStage<Set<Seat>> listed = listed(seats.values());
        return values.thenCombine(
                texts.thenCombine(listed, (text, hints) -> new Beside(text, hints)), (value, beside) -> {
                    List<Sighting> sightings = new ArrayList<>();
                    for (int i = 0; i < value.size(); i++) {
                        // What is gone since it was scanned, or is no string, is no presence.
                        if (value.get(i).hasValue()) {
                            sightings.add(beside.sighting(
                                    i, inOrder.get(i), new SocketId(value.get(i).getValue())));
                        }
                    }
                    return sightings;
                });
    }

    /** What lies beside presences. */
    private record Beside(List<KeyValue<String, String>> details, Set<Seat> listed) {
        Sighting sighting(int i, Seat seat, SocketId named) {
            Details found = Details.parse(details.get(i).getValueOrElse(""));
            Set<SocketId> sockets = new HashSet<>(found == null ? Set.of() : found.sockets());
            sockets.add(named);
            boolean holds = found != null && found.sockets().contains(named);
            return new Sighting(seat, named, sockets, holds && listed.contains(seat));
        }
    }

    private CompletionStage<Set<Seat>> listed(Collection<Seat> seats) {
        Map<RoomId, List<Seat>> byRoom = new LinkedHashMap<>();
        seats.forEach(seat ->
                byRoom.computeIfAbsent(seat.room(), room -> new ArrayList<>()).add(seat));
        CompletionStage<Set<Seat>> all = CompletableFuture.completedFuture(new HashSet<>());
        for (Map.Entry<RoomId, List<Seat>> room : byRoom.entrySet()) {
            String[] users =
                    room.getValue().stream().map(seat -> seat.user().value()).toArray(String[]::new);
            String index = keys.index(room.getKey());
            CompletionStage<List<Double>> scores = link.read(index, redis -> redis.zmscore(index, users));
            all = all.thenCombine(scores, (found, score) -> {
                for (int i = 0; i < users.length; i++) {
                    if (score.get(i) != null) {
                        found.add(room.getValue().get(i));
                    }
                }
                return found;
            });
        }
        return all;
    }
}
