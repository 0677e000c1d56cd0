package io.hadir.redis.store;

import static io.hadir.redis.store.RoomScripts.number;

import io.hadir.presence.RoomStore;
import io.hadir.presence.room.Hold;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Position;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.hadir.redis.stats.RemovalStatistics;
import java.time.Duration;
import java.time.Instant;
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
import org.jspecify.annotations.Nullable;

/**
 * Rooms on Redis. Lists and counts in steps that never block Redis for long. A step continues at a position, not at a rank,
 * so concurrent leaves never cause a user to be skipped.
 */
public final class RedisRoomStore implements RoomStore {
    private static final Script EXPIRE_GRACES = Script.ofRoom("expire-graces");
    private static final Script ANNOUNCE_EXPIRED = Script.ofRoom("announce-expired");
    private static final Script CHECK = Script.ofRoom("check");
    private static final Script RAISE = Script.ofRoom("raise-revision");
    private static final Script LIST = Script.ofRoom("list");
    private static final Script COUNT = Script.ofRoom("count");
    private static final Script COUNT_ROOMS = Script.plain("count-rooms");
    private static final Script LIST_PRESENT = Script.ofRoom("list-present");
    private static final int LISTED_AT_ONCE = 500;
    private static final int COUNTED_AT_ONCE = 1000;
    private static final int ROOMS_AT_ONCE = 200;
    private static final int COUNTED_TOGETHER = 500;
    private static final int FIRST_ENTRY = 6;
    private static final int FIELDS = 4;
    private static final int FIELDS_WITH_HOLD = 5;
    private static final int FIRST_DEAD = 5;

    private static final int EXPIRED_AT_ONCE = 100;
    private static final int ANNOUNCED_AT_ONCE = 200;

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;
    private final RemovalStatistics statistics;

    RedisRoomStore(RedisLink link, RedisKeys keys, RoomScripts scripts, RemovalStatistics statistics) {
        this.link = link;
        this.keys = keys;
        this.scripts = scripts;
        this.statistics = statistics;
    }

    @Override
    public boolean isAvailable(RoomId room) {
        return link.reaches(keys.index(room));
    }

    @Override
    public CompletionStage<Page> list(RoomId room, @Nullable Position after, int limit) {
        return page(new Look(room, limit, false, null, scripts::read), after);
    }

    @Override
    public CompletionStage<Page> listHolds(RoomId room, @Nullable Position after, int limit) {
        return page(new Look(room, limit, true, null, scripts::read), after);
    }

    private CompletionStage<Page> page(Look look, @Nullable Position after) {
        String score = after == null ? "" : Long.toString(after.joinedAt().toEpochMilli());
        String user = after == null ? "" : after.user().encoded();
        return list(look, score, user, new ArrayList<>(), null).thenApply(found -> found.page(look.limit));
    }

    @Override
    public CompletionStage<FirstPage> listFirst(RoomId room, int limit, @Nullable Roster known) {
        return firstPage(new Look(room, limit, false, known, scripts::read));
    }

    @Override
    public CompletionStage<FirstPage> listForNewcomer(RoomId room, int limit, @Nullable Roster known) {
        return firstPage(new Look(room, limit, false, known, scripts::write));
    }

    private CompletionStage<FirstPage> firstPage(Look look) {
        return list(look, "", "", new ArrayList<>(), null)
                .thenApply(found -> new FirstPage(
                        found.page(look.limit),
                        found.participants.size() < look.wanted()
                                ? new Roster(found.revision, found.participants)
                                : null));
    }

    /**
     * A request for a page.
     *
     * @param known the roster to compare with, null if the caller keeps none
     */
    private record Look(
            RoomId room, int limit, boolean holds, @Nullable Roster known, Way way) {
        /** One more than the limit, to learn whether there are more. */
        int wanted() {
            return (known == null ? limit : Math.max(limit, Roster.MOST)) + 1;
        }
    }

    /** The connection to ask on. */
    private interface Way {
        CompletionStage<List<Object>> run(Script script, RoomId room, List<String> own);
    }

    private record Found(List<Participant> participants, long revision) {
        Page page(int limit) {
            boolean more = participants.size() > limit;
            List<Participant> page = more ? participants.subList(0, limit) : participants;
            return new Page(List.copyOf(page), more ? page.get(limit - 1).position() : null, revision);
        }
    }

    private CompletionStage<Found> list(
            Look look, String score, String user, List<Participant> found, @Nullable Long revision) {
        int missing = look.wanted() - found.size();
        List<String> own = new ArrayList<>(List.of(
                score,
                user,
                Integer.toString(missing),
                Integer.toString(Math.min(LISTED_AT_ONCE, missing * 2)),
                look.holds ? "1" : "0"));
        Roster known = revision == null && look.known != null ? look.known : Roster.UNKNOWN;
        own.add(Long.toString(known.revision()));
        known.participants().forEach(participant -> own.add(participant.user().encoded()));
        return look.way.run(LIST, look.room, own).thenCompose(answer -> {
            long first = revision != null ? revision : number(answer.get(0));
            if (answer.get(3).equals("known")) {
                addKnown(found, answer, known);
                return CompletableFuture.completedFuture(new Found(found, first));
            }
            addParticipants(look.room, found, answer, look.holds);
            boolean end = answer.get(3).equals("1");
            return end || found.size() >= look.wanted()
                    ? CompletableFuture.completedFuture(new Found(found, first))
                    : list(look, (String) answer.get(4), (String) answer.get(5), found, first);
        });
    }

    private static void addKnown(List<Participant> found, List<Object> answer, Roster known) {
        Time time = Time.of(answer);
        int i = FIRST_ENTRY;
        for (Participant participant : known.participants()) {
            Object entry = answer.get(i++);
            List<?> endAndDetails = entry instanceof List<?> both ? both : List.of(entry, "");
            Details details = Details.parse((String) endAndDetails.get(1));
            long joined = participant.joinedAt().toEpochMilli();
            Instant active = time.lastActive(joined, number(endAndDetails.get(0)), details);
            found.add(new Participant(participant.user(), participant.username(), participant.joinedAt(), active));
        }
    }

    /** Those of these users who are alive, with their holds, whether or not the room's index has them. */
    CompletionStage<Page> seen(RoomId room, List<String> users) {
        return scripts.read(LIST_PRESENT, room, users).thenApply(answer -> {
            List<Participant> alive = new ArrayList<>();
            addParticipants(room, alive, answer, true);
            return new Page(alive, null, number(answer.get(0)));
        });
    }

    private void addParticipants(RoomId room, List<Participant> found, List<Object> answer, boolean holds) {
        int fields = holds ? FIELDS_WITH_HOLD : FIELDS;
        for (int i = FIRST_ENTRY; i + fields <= answer.size(); i += fields) {
            int entry = i;
            String listed = (String) answer.get(i);
            UserId.decode(listed)
                    .ifPresentOrElse(
                            user -> found.add(participant(user, answer, entry, holds)),
                            () -> scripts.forget(room, listed));
        }
    }

    public static Participant participant(UserId user, List<Object> answer, int i, boolean withHold) {
        long joined = number(answer.get(i + 1));
        long ends = number(answer.get(i + 2));
        Details details = Details.parse((String) answer.get(i + 3));
        Time time = Time.of(answer);
        String username = details == null || details.username() == null ? user.value() : details.username();
        return new Participant(
                user,
                username,
                Instant.ofEpochMilli(joined),
                time.lastActive(joined, ends, details),
                withHold ? hold((String) answer.get(i + 4), time.left(ends)) : null);
    }

    /** The time of an answer and the room's TTL. */
    private record Time(long now, long ttl) {
        static Time of(List<Object> answer) {
            return new Time(number(answer.get(1)), number(answer.get(2)));
        }

        /**
         * A presence gets its whole TTL whenever the user is active. For one that ends with its grace period, the details
         * have the time.
         */
        Instant lastActive(long joined, long ends, @Nullable Details details) {
            long active = details != null && details.graceUntil() > 0 && ends <= details.graceUntil()
                    ? details.lastActiveAt()
                    : ends - ttl;
            return Instant.ofEpochMilli(Math.max(joined, Math.min(now, active)));
        }

        /** The remaining time of a presence; null if it has no TTL. */
        @Nullable
        Duration left(long ends) {
            return ends < 0 ? null : Duration.ofMillis(Math.max(0, ends - now));
        }
    }

    private static Hold hold(String socket, @Nullable Duration left) {
        return new Hold(socket.isEmpty() ? null : new SocketId(socket), left);
    }

    @Override
    public CompletionStage<Headcount> count(RoomId room) {
        return count(room, "", "", 0, new ArrayList<>(), null);
    }

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
            return answer.get(2).equals("1")
                    ? CompletableFuture.completedFuture(new Headcount(sum, first, dead))
                    : count(room, (String) answer.get(3), (String) answer.get(4), sum, dead, first);
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
        return seen(room, users.stream().map(UserId::encoded).toList()).thenApply(page -> {
            Set<UserId> absent = new HashSet<>(users);
            page.participants().forEach(there -> absent.remove(there.user()));
            return absent;
        });
    }

    @Override
    public CompletionStage<Optional<Duration>> expireGraces(RoomId room) {
        return scripts.write(EXPIRE_GRACES, room, List.of(Integer.toString(EXPIRED_AT_ONCE)))
                .thenApply(answer -> {
                    statistics.count(LeaveReason.DISCONNECTED.wire(), number(answer.get(1)));
                    return millis(answer.get(0));
                });
    }

    @Override
    public CompletionStage<Void> announceExpired(RoomId room, Map<UserId, Optional<LeaveReason>> users) {
        List<String> own = new ArrayList<>();
        users.forEach((user, reason) -> {
            own.add(user.encoded());
            own.add(reason.map(LeaveReason::wire).orElse(""));
        });
        return announceExpired(room, own, 0);
    }

    private CompletionStage<Void> announceExpired(RoomId room, List<String> own, int from) {
        int to = Math.min(own.size(), from + 2 * ANNOUNCED_AT_ONCE);
        return scripts.write(ANNOUNCE_EXPIRED, room, own.subList(from, to)).thenCompose(answer -> {
            answer.forEach(reason -> statistics.count((String) reason));
            return to < own.size() ? announceExpired(room, own, to) : CompletableFuture.completedFuture(null);
        });
    }

    @Override
    public CompletionStage<Checked> check(RoomId room, List<Claim> claims) {
        List<String> own = new ArrayList<>();
        for (Claim claim : claims) {
            own.add(claim.user().encoded());
            own.add(claim.holder().socket().value());
            own.add(Long.toString(claim.holder().turn()));
            own.add(claim.username());
        }
        return scripts.write(CHECK, room, own).thenApply(answer -> {
            Duration ttl = Duration.ofMillis(number(answer.get(0)));
            String message = (String) answer.get(1);
            List<Boolean> alive =
                    answer.subList(4, answer.size()).stream().map("1"::equals).toList();
            return new Checked(
                    new RoomRules(ttl, message.isEmpty() ? null : message),
                    number(answer.get(2)),
                    millis(answer.get(3)),
                    alive);
        });
    }

    @Override
    public CompletionStage<Void> repair(RoomId room) {
        return scripts.repair(room).thenAccept(repaired -> {});
    }

    @Override
    public CompletionStage<Void> raise(RoomId room, long revision) {
        return scripts.writeForText(RAISE, room, List.of(Long.toString(revision)))
                .thenAccept(raised -> {});
    }

    /** A time that a script gave in ms; none if it is negative. */
    private static Optional<Duration> millis(Object value) {
        long millis = number(value);
        return millis < 0 ? Optional.empty() : Optional.of(Duration.ofMillis(millis));
    }
}
