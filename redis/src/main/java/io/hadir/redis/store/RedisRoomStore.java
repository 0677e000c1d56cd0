package io.hadir.redis.store;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.RoomStore;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Page.FirstPage;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.hadir.redis.stats.RemovalStatistics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Rooms on Redis. Lists and counts in steps that never block Redis for long. A step continues at a position, not at a
 * rank, so concurrent leaves never cause a user to be skipped.
 */
public final class RedisRoomStore implements RoomStore {
    private static final Script EXPIRE_LAPSES = Script.ofRoom("expire-lapses");
    private static final Script ANNOUNCE_EXPIRED = Script.ofRoom("announce-expired");
    private static final Script CHECK = Script.ofRoom("check");
    private static final Script RAISE = Script.ofRoom("raise-revision");
    private static final Script LIST = Script.ofRoom("list", "room-list");
    private static final Script COUNT = Script.ofRoom("count");
    private static final Script COUNT_ROOMS = Script.plain("count-rooms");
    /** Half of the largest page, and the user behind it. */
    private static final int LISTED_AT_ONCE = 501;

    private static final int COUNTED_AT_ONCE = 1000;
    private static final int ROOMS_AT_ONCE = 200;
    private static final int COUNTED_TOGETHER = 500;
    private static final int HINTS_AT_ONCE = 200;
    private static final int FIRST_DEAD = 5;

    private static final int EXPIRED_AT_ONCE = 100;
    private static final int ANNOUNCED_AT_ONCE = 200;

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;
    private final RemovalStatistics statistics;
    private final RoomComparisons comparisons;
    private final Headcounts headcounts;

    RedisRoomStore(RedisLink link, RedisKeys keys, RoomScripts scripts, RemovalStatistics statistics) {
        this.link = link;
        this.keys = keys;
        this.scripts = scripts;
        this.statistics = statistics;
        this.comparisons = new RoomComparisons(link, keys, scripts);
        this.headcounts = new Headcounts(link, keys, scripts);
    }

    @Override
    public boolean isAvailable(RoomId room) {
        return link.reaches(keys.index(room));
    }

    @Override
    public CompletionStage<Page> list(RoomId room, @Nullable Position after, int limit) {
        return page(new PageRequest(room, limit, false, null, scripts::read), after);
    }

    @Override
    public CompletionStage<Page> listWithEvidence(RoomId room, @Nullable Position after, int limit) {
        return page(new PageRequest(room, limit, true, null, scripts::read), after);
    }

    private CompletionStage<Page> page(PageRequest request, @Nullable Position after) {
        String score = after == null ? "" : Long.toString(after.joinedAt().toEpochMilli());
        String user = after == null ? "" : after.user().encoded();
        return list(request, score, user, new ArrayList<>(), null, false)
                .thenApply(found -> RoomList.page(found.participants, found.revision, request.limit, found.skipped));
    }

    @Override
    public CompletionStage<FirstPage> listFirst(RoomId room, int limit, @Nullable Roster known) {
        return firstPage(new PageRequest(room, limit, false, known, scripts::read));
    }

    @Override
    public CompletionStage<FirstPage> listForNewcomer(RoomId room, int limit, @Nullable Roster known) {
        return firstPage(new PageRequest(room, limit, false, known, scripts::write));
    }

    private CompletionStage<FirstPage> firstPage(PageRequest request) {
        return list(request, "", "", new ArrayList<>(), null, false)
                .thenApply(found ->
                        RoomList.firstPage(found.participants, found.revision, request.limit, request.wanted()));
    }

    /**
     * A request for a page.
     *
     * @param known the roster to compare with, null if the caller keeps none
     */
    private record PageRequest(
            RoomId room,
            int limit,
            boolean withEvidence,
            @Nullable Roster known,
            Way way) {
        int wanted() {
            return RoomList.wanted(limit, known);
        }
    }

    /** The connection to ask on. */
    private interface Way {
        CompletionStage<List<Object>> run(Script script, RoomId room, List<String> own);
    }

    private record Found(List<Participant> participants, long revision, boolean skipped) {}

    private CompletionStage<Found> list(
            PageRequest request,
            String score,
            String user,
            List<Participant> found,
            @Nullable Long revision,
            boolean skipped) {
        int missing = request.wanted() - found.size();
        String most = Integer.toString(Math.min(LISTED_AT_ONCE, missing));
        List<String> own = new ArrayList<>(List.of(score, user, most, request.withEvidence ? "1" : "0"));
        Roster known = revision == null ? request.known : null;
        own.addAll(RoomList.known(known));
        return request.way.run(LIST, request.room, own).thenCompose(answer -> {
            long first = revision != null ? revision : number(answer.get(0));
            if (RoomList.isKnown(answer)) {
                RoomList.addKnown(found, answer, known == null ? List.of() : known.participants());
                return CompletableFuture.completedFuture(new Found(found, first, false));
            }
            add(request.room, found, answer, request.withEvidence);
            boolean dead = skipped || RoomList.hasSkipped(answer);
            // Somebody may have left and joined again between two steps.
            List<Participant> all = revision == null ? found : RoomList.latest(found);
            return RoomList.isEnd(answer) || all.size() >= request.wanted()
                    ? CompletableFuture.completedFuture(new Found(all, first, dead))
                    : list(request, (String) answer.get(4), (String) answer.get(5), all, first, dead);
        });
    }

    private void add(RoomId room, List<Participant> found, List<Object> answer, boolean withEvidence) {
        RoomList.add(found, answer, withEvidence, invalid -> scripts.forget(room, invalid));
    }

    @Override
    public CompletionStage<Headcount> count(RoomId room) {
        return count(room, "", "", 0, new ArrayList<>(), null);
    }

    /**
     * Counts a small room in one step. The rest of a larger one is counted by plain commands, or if hints came or went
     * meanwhile by positions, which stay where they are.
     */
    private CompletionStage<Headcount> count(
            RoomId room, String score, String user, long alive, List<UserId> dead, @Nullable Long revision) {
        List<String> own = List.of(score, user, Integer.toString(COUNTED_AT_ONCE));
        return scripts.read(COUNT, room, own).thenCompose(answer -> {
            long first = revision != null ? revision : number(answer.get(0));
            long sum = alive + number(answer.get(1));
            for (Object absent : answer.subList(FIRST_DEAD, answer.size())) {
                String listed = (String) absent;
                UserId.decode(listed).ifPresentOrElse(dead::add, () -> scripts.forget(room, listed));
            }
            Headcount counted = new Headcount(sum, first, dead);
            if (answer.get(2).equals("1")) {
                return CompletableFuture.completedFuture(counted);
            }
            String last = (String) answer.get(4);
            CompletionStage<@Nullable Headcount> whole = revision == null
                    ? headcounts.behind(counted, room, COUNTED_AT_ONCE - 1, last)
                    : CompletableFuture.completedFuture(null);
            return whole.thenCompose(all -> all != null
                    ? CompletableFuture.completedFuture(all)
                    : count(room, (String) answer.get(3), last, sum, dead, first));
        });
    }

    @Override
    public Map<RoomId, CompletionStage<Headcount>> count(Collection<RoomId> rooms) {
        Map<RoomId, CompletionStage<Headcount>> counts = new LinkedHashMap<>();
        List<Count> open = new ArrayList<>();
        for (RoomId room : rooms) {
            Count count = new Count(room, new CompletableFuture<>());
            if (counts.putIfAbsent(room, count.result) == null) {
                open.add(count);
            }
        }
        keys.together(open, count -> count.room.encoded(), ROOMS_AT_ONCE).forEach(this::count);
        return counts;
    }

    @Override
    public CompletionStage<Map<RoomId, Long>> countHints(Collection<RoomId> rooms) {
        Map<RoomId, Long> hints = new ConcurrentHashMap<>();
        // In slices, so that clients need not wait behind all of them.
        return Stages.inSlices(
                        List.copyOf(rooms),
                        HINTS_AT_ONCE,
                        some -> Stages.all(some.stream()
                                .map(room -> countHints(room).thenAccept(count -> hints.put(room, count)))
                                .toList()))
                .thenApply(done -> hints);
    }

    /** The number of hints of a room, 0 if Redis does not say. */
    private CompletionStage<Long> countHints(RoomId room) {
        String index = keys.index(room);
        return link.read(index, redis -> redis.zcard(index)).exceptionally(unknown -> 0L);
    }

    private record Count(RoomId room, CompletableFuture<Headcount> result) {}

    /** Counts rooms of one slot, as many as one script may, and then the others. */
    private void count(List<Count> counts) {
        List<RoomId> rooms = counts.stream().map(Count::room).toList();
        scripts.readTogether(COUNT_ROOMS, rooms, Integer.toString(COUNTED_TOGETHER))
                .whenComplete((answer, failed) -> {
                    if (failed != null) {
                        counts.forEach(count -> count.result.completeExceptionally(failed));
                        return;
                    }
                    int counted = answer.size() / 2;
                    for (int i = 0; i < counted; i++) {
                        count(counts.get(i), number(answer.get(2 * i)), number(answer.get(2 * i + 1)));
                    }
                    if (counted < counts.size()) {
                        count(counts.subList(counted, counts.size()));
                    }
                });
    }

    /** A negative count means: count this room individually. */
    private void count(Count count, long revision, long alive) {
        if (alive < 0) {
            count(count.room).whenComplete(Stages.into(count.result));
        } else {
            count.result.complete(new Headcount(alive, revision, List.of()));
        }
    }

    @Override
    public CompletionStage<Set<UserId>> absent(RoomId room, Collection<UserId> users) {
        return scripts.present(room, users.stream().map(UserId::encoded).toList())
                .thenApply(page -> {
                    Set<UserId> absent = new HashSet<>(users);
                    page.participants().forEach(there -> absent.remove(there.user()));
                    return absent;
                });
    }

    @Override
    public CompletionStage<Optional<Duration>> expireLapses(RoomId room) {
        return scripts.write(EXPIRE_LAPSES, room, List.of(Integer.toString(EXPIRED_AT_ONCE)))
                .thenApply(answer -> {
                    for (Object user : answer.subList(1, answer.size())) {
                        removed(room, (String) user, RemovalReason.DISCONNECTED.wire());
                    }
                    return RoomList.millis(answer.get(0));
                });
    }

    @Override
    public CompletionStage<Void> announceExpired(
            RoomId room, Collection<UserId> users, @Nullable RemovalReason reason) {
        List<String> named = users.stream().map(UserId::encoded).toList();
        String why = reason == null ? "" : reason.wire();
        return Stages.inSlices(named, ANNOUNCED_AT_ONCE, slice -> {
            List<String> own = new ArrayList<>(List.of(why));
            own.addAll(slice);
            return scripts.write(ANNOUNCE_EXPIRED, room, own).thenAccept(answer -> {
                for (int i = 0; i < answer.size(); i++) {
                    removed(room, slice.get(i), (String) answer.get(i));
                }
            });
        });
    }

    private void removed(RoomId room, String user, String reason) {
        UserId.decode(user).ifPresent(known -> statistics.count(new Seat(room, known), reason));
    }

    @Override
    public CompletionStage<Checked> check(RoomId room, List<Claim> claims) {
        List<String> own = new ArrayList<>();
        for (Claim claim : claims) {
            own.add(claim.user().encoded());
            own.add(claim.holder().socket().value());
            own.add(Long.toString(claim.holder().turn()));
            own.add(claim.username());
            own.add(claim.data() == null ? "" : claim.data());
            own.add(claim.paused() ? "1" : "0");
        }
        return scripts.write(CHECK, room, own).thenApply(answer -> {
            Duration ttl = Duration.ofMillis(number(answer.get(0)));
            String message = (String) answer.get(1);
            List<Boolean> alive =
                    answer.subList(4, answer.size()).stream().map("1"::equals).toList();
            return new Checked(
                    new RoomRules(ttl, message.isEmpty() ? null : message),
                    number(answer.get(2)),
                    RoomList.millis(answer.get(3)),
                    alive);
        });
    }

    @Override
    public List<CompletionStage<Compared>> compare(List<Claims> rooms) {
        return comparisons.of(rooms);
    }

    @Override
    public CompletionStage<Void> repair(RoomId room) {
        return scripts.repair(room).thenAccept(repaired -> {});
    }

    @Override
    public CompletionStage<Long> raise(RoomId room, long revision) {
        return scripts.writeForText(RAISE, room, List.of(Long.toString(revision)))
                .thenApply(Long::valueOf);
    }
}
