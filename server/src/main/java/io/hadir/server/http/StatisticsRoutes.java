package io.hadir.server.http;

import io.hadir.presence.Rooms;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.LeaveReason;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.stats.Overview;
import io.hadir.presence.stats.Removals;
import io.hadir.presence.user.Users;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code /stats}: how many are there now. {@code /stats/removals}: who was removed when and why, in numbers. */
public final class StatisticsRoutes {
    private static final Duration USUAL_TIME = Duration.ofDays(1);
    private static final Duration LONGEST_TIME = Duration.ofDays(90);

    private final Overview overview;
    private final Rooms rooms;
    private final Users users;
    private final InstantSource clock;

    private StatisticsRoutes(Overview overview, Rooms rooms, Users users, InstantSource clock) {
        this.overview = overview;
        this.rooms = rooms;
        this.users = users;
        this.clock = clock;
    }

    public static void add(Api api, Overview overview, Rooms rooms, Users users, InstantSource clock) {
        StatisticsRoutes routes = new StatisticsRoutes(overview, rooms, users, clock);
        api.get("/stats", routes::now).get("/stats/removals", routes::removals);
    }

    private CompletionStage<Answer<Map<String, Object>>> now(ApiCall call) {
        CompletableFuture<Answer<Long>> online = users.online().toCompletableFuture();
        return rooms.countOccupied()
                .thenCombine(
                        online,
                        (occupied, known) -> occupied.flatMap(inRooms -> known.map(people -> {
                            Map<String, Object> message = new LinkedHashMap<>();
                            message.put("usersOnline", people);
                            message.put("roomsOccupied", inRooms);
                            return message;
                        })));
    }

    private CompletionStage<Answer<Map<String, Object>>> removals(ApiCall call) {
        return query(call.query()).take(overview::removals, StatisticsRoutes::report);
    }

    private Answer<Removals.Query> query(Query query) {
        return query.time("to")
                .flatMap(to -> query.time("from")
                        .flatMap(from -> size(query)
                                .flatMap(size -> room(query).flatMap(room -> {
                                    Instant end = to.orElseGet(clock::instant);
                                    Instant begin = from.orElse(end.minus(USUAL_TIME));
                                    return inRange(new Removals.Query(begin, end, size, room.orElse(null)));
                                }))));
    }

    private static Answer<Removals.Query> inRange(Removals.Query query) {
        Duration time = Duration.between(query.from(), query.to());
        return time.isNegative() || time.isZero() || time.compareTo(LONGEST_TIME) > 0
                ? Answer.refused(PresenceError.invalid("from", "a time before to, by at most 90 days"))
                : Answer.ok(query);
    }

    private static Answer<Removals.Size> size(Query query) {
        return query.parsed("bucket", "hour or day", text -> switch (text) {
                    case "hour" -> Optional.of(Removals.Size.HOUR);
                    case "day" -> Optional.of(Removals.Size.DAY);
                    default -> Optional.empty();
                })
                .map(given -> given.orElse(Removals.Size.HOUR));
    }

    private static Answer<Optional<RoomId>> room(Query query) {
        return query.parsed(
                "roomId",
                "a room id",
                text -> RoomId.parse(text) instanceof Answer.Ok<RoomId> room
                        ? Optional.of(room.value())
                        : Optional.empty());
    }

    private static Map<String, Object> report(Removals removals) {
        List<Map<String, Object>> buckets =
                removals.buckets().stream().map(StatisticsRoutes::bucket).toList();
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("buckets", buckets);
        message.put("totals", counts(removals.totals()));
        return message;
    }

    private static Map<String, Object> bucket(Removals.Bucket bucket) {
        Map<String, Object> message = new LinkedHashMap<>();
        message.put("at", bucket.at().toEpochMilli());
        message.put("counts", counts(bucket.counts()));
        return message;
    }

    static Map<String, Long> counts(Map<LeaveReason, Long> counts) {
        Map<String, Long> message = new LinkedHashMap<>();
        counts.forEach((reason, count) -> message.put(reason.wire(), count));
        return message;
    }
}
