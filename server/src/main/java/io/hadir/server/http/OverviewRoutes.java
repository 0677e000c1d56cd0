package io.hadir.server.http;

import io.hadir.presence.Rooms;
import io.hadir.presence.room.Answer;
import io.hadir.presence.room.PresenceError;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.stats.Gauges;
import io.hadir.presence.stats.HistoryChart;
import io.hadir.presence.stats.Overview;
import io.hadir.presence.stats.RedisStatus;
import io.hadir.presence.stats.Removals;
import io.hadir.presence.sweep.Nodes.NodeStatus;
import io.hadir.server.wire.RefusedException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@code /stats}: how many users and rooms there are now. {@code /stats/removals}: how many users left rooms, when and
 * why. {@code /stats/history}: the points of the charts. {@code /nodes}: the nodes that share this Redis. {@code
 * /redis}: the state of Redis, answered also while Redis is away.
 */
public final class OverviewRoutes {
    private static final Duration USUAL_PERIOD = Duration.ofDays(1);
    private static final Duration LONGEST_PERIOD = Duration.ofDays(90);

    private final Overview overview;
    private final Rooms rooms;
    private final Supplier<CompletionStage<RedisStatus>> redis;
    private final InstantSource clock;

    private OverviewRoutes(
            Overview overview, Rooms rooms, Supplier<CompletionStage<RedisStatus>> redis, InstantSource clock) {
        this.overview = overview;
        this.rooms = rooms;
        this.redis = redis;
        this.clock = clock;
    }

    public static void add(
            Api api,
            Overview overview,
            Rooms rooms,
            Supplier<CompletionStage<RedisStatus>> redis,
            InstantSource clock) {
        OverviewRoutes routes = new OverviewRoutes(overview, rooms, redis, clock);
        api.get("/stats", routes::stats)
                .get("/stats/removals", routes::removals)
                .get("/stats/history", routes::history)
                .get("/nodes", routes::nodes)
                .get("/redis", routes::redis);
    }

    private record Stats(long usersOnline, long roomsOccupied) {}

    private CompletionStage<Answer<Stats>> stats(ApiCall call) {
        return rooms.countOccupied()
                .thenCombine(
                        overview.usersOnline(),
                        (occupied, online) ->
                                occupied.flatMap(inRooms -> online.map(people -> new Stats(people, inRooms))));
    }

    private record RemovalStats(List<Bucket> buckets, Map<String, Long> totals) {
        static RemovalStats of(Removals removals) {
            return new RemovalStats(removals.buckets().stream().map(Bucket::of).toList(), byReason(removals.totals()));
        }
    }

    private record Bucket(long at, Map<String, Long> counts) {
        static Bucket of(Removals.Bucket bucket) {
            return new Bucket(bucket.at().toEpochMilli(), byReason(bucket.counts()));
        }
    }

    private static Map<String, Long> byReason(Map<RemovalReason, Long> counts) {
        Map<String, Long> byReason = new LinkedHashMap<>();
        counts.forEach((reason, count) -> byReason.put(reason.wire(), count));
        return byReason;
    }

    private CompletionStage<Answer<RemovalStats>> removals(ApiCall call) throws RefusedException {
        Query query = call.query();
        Instant to = Optional.ofNullable(query.time("to")).orElseGet(clock::instant);
        Instant from = Optional.ofNullable(query.time("from")).orElse(to.minus(USUAL_PERIOD));
        Removals.Size size = query.read("bucket", "hour or day", text -> switch (text) {
            case "hour" -> Optional.of(Removals.Size.HOUR);
            case "day" -> Optional.of(Removals.Size.DAY);
            default -> Optional.empty();
        });
        RoomId room = query.roomId();
        Duration period = Duration.between(from, to);
        if (period.isNegative() || period.isZero() || period.compareTo(LONGEST_PERIOD) > 0) {
            throw new RefusedException(PresenceError.invalid("from", "a time before to, by at most 90 days"));
        }
        return overview.removals(new Removals.Query(from, to, size == null ? Removals.Size.HOUR : size, room))
                .thenApply(answer -> answer.map(RemovalStats::of));
    }

    private record HistoryPoints(long stepMs, List<Point> points) {
        static HistoryPoints of(HistoryChart chart) {
            return new HistoryPoints(
                    chart.step().length().toMillis(),
                    chart.points().stream().map(Point::of).toList());
        }
    }

    private record Point(
            long at,
            @Nullable Long usersOnline,
            @Nullable Long roomsOccupied,
            @Nullable Long sockets,
            long joins,
            Map<String, Long> leaves,
            @Nullable Double sweepMs,
            @Nullable Double redisMs) {
        static Point of(HistoryChart.Point point) {
            Gauges gauges = point.gauges();
            return new Point(
                    point.at().toEpochMilli(),
                    gauges.usersOnline(),
                    gauges.roomsOccupied(),
                    gauges.sockets(),
                    point.joins(),
                    byReason(point.leaves()),
                    millis(point.sweep()),
                    millis(point.redis()));
        }
    }

    private CompletionStage<Answer<HistoryPoints>> history(ApiCall call) throws RefusedException {
        Instant from = call.query().time("from");
        Instant to = call.query().time("to");
        HistoryChart.Step step = call.query().read("stepSeconds", "5 or 60", text -> switch (text) {
            case "5" -> Optional.of(HistoryChart.Step.FIVE_SECONDS);
            case "60" -> Optional.of(HistoryChart.Step.MINUTE);
            default -> Optional.empty();
        });
        return overview.chart(step == null ? HistoryChart.Step.MINUTE : step, from, to)
                .thenApply(answer -> answer.map(HistoryPoints::of));
    }

    private record Node(
            String nodeId,
            @Nullable Long startedAt,
            @Nullable String version,
            @Nullable Long sockets,
            @Nullable Long leaseMs) {
        static Node of(NodeStatus node) {
            Instant startedAt = node.startedAt();
            Duration lease = node.lease();
            return new Node(
                    node.id(),
                    startedAt == null ? null : (Long) startedAt.toEpochMilli(),
                    node.version(),
                    node.sockets(),
                    lease == null ? null : (Long) lease.toMillis());
        }
    }

    private record NodeList(List<Node> nodes) {
        static NodeList of(List<NodeStatus> nodes) {
            return new NodeList(nodes.stream().map(Node::of).toList());
        }
    }

    private CompletionStage<Answer<NodeList>> nodes(ApiCall call) {
        return overview.nodes().thenApply(answer -> answer.map(NodeList::of));
    }

    private record Redis(
            boolean connected,
            String mode,
            @Nullable String version,
            @Nullable Boolean evicting,
            @Nullable Long usedMemoryBytes,
            @Nullable Long maxMemoryBytes,
            @Nullable Double latencyMs) {
        static Redis of(RedisStatus status) {
            return new Redis(
                    status.connected(),
                    status.mode().wire(),
                    status.version(),
                    status.evicting(),
                    status.usedMemory(),
                    status.maxMemory(),
                    millis(status.latency()));
        }
    }

    private CompletionStage<Answer<Redis>> redis(ApiCall call) {
        return redis.get().thenApply(status -> Answer.ok(Redis.of(status)));
    }

    /** Milliseconds, exact to the microsecond. */
    private static @Nullable Double millis(@Nullable Duration time) {
        return time == null ? null : (Double) (TimeUnit.NANOSECONDS.toMicros(time.toNanos()) / 1e3);
    }
}
