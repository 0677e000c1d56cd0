package io.hadir.redis.store;

import io.hadir.presence.RoomDirectory;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The directory on Redis: one sorted set. */
final class RedisRoomDirectory implements RoomDirectory {
    /** Every sweep renews it. */
    private static final Duration KEPT = Duration.ofDays(1);

    private final RedisLink link;

    RedisRoomDirectory(RedisLink link) {
        this.link = link;
    }

    @Override
    public CompletionStage<Void> add(Collection<RoomId> rooms) {
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        ScoredValue<String>[] values =
                rooms.stream().map(room -> ScoredValue.just(0, room.encoded())).toArray(ScoredValue[]::new);
        return link.write(
                        RedisKeys.OCCUPIED,
                        redis -> redis.zadd(RedisKeys.OCCUPIED, values)
                                .thenCombine(redis.expire(RedisKeys.OCCUPIED, KEPT), (added, renewed) -> added))
                .thenAccept(added -> {});
    }

    @Override
    public CompletionStage<Void> remove(Collection<RoomId> rooms) {
        String[] values = rooms.stream().map(RoomId::encoded).toArray(String[]::new);
        return link.write(RedisKeys.OCCUPIED, redis -> redis.zrem(RedisKeys.OCCUPIED, values))
                .thenAccept(removed -> {});
    }

    @Override
    public CompletionStage<List<RoomId>> after(@Nullable RoomId room, int limit) {
        // All have the same score, so Redis orders them by name.
        Range<String> range = Range.from(
                room == null ? Range.Boundary.unbounded() : Range.Boundary.excluding(room.encoded()),
                Range.Boundary.unbounded());
        return link.read(
                        RedisKeys.OCCUPIED,
                        redis -> redis.zrangebylex(RedisKeys.OCCUPIED, range, Limit.create(0, limit)))
                .thenCompose(names -> {
                    List<RoomId> rooms = names.stream()
                            .flatMap(name -> RoomId.decode(name).stream())
                            .toList();
                    // A page that lacks entries would look like the last one.
                    return rooms.size() == names.size()
                            ? CompletableFuture.completedFuture(rooms)
                            : removeInvalid(names).thenCompose(removed -> after(room, limit));
                });
    }

    private CompletionStage<Long> removeInvalid(List<String> names) {
        String[] invalid =
                names.stream().filter(name -> RoomId.decode(name).isEmpty()).toArray(String[]::new);
        return link.write(RedisKeys.OCCUPIED, redis -> redis.zrem(RedisKeys.OCCUPIED, invalid));
    }

    @Override
    public CompletionStage<Set<RoomId>> missing(Collection<RoomId> asked) {
        List<RoomId> rooms = List.copyOf(asked);
        if (rooms.isEmpty()) {
            return CompletableFuture.completedFuture(Set.of());
        }
        String[] names = rooms.stream().map(RoomId::encoded).toArray(String[]::new);
        return link.read(RedisKeys.OCCUPIED, redis -> redis.zmscore(RedisKeys.OCCUPIED, names))
                .thenApply(scores -> {
                    Set<RoomId> missing = new HashSet<>();
                    for (int i = 0; i < names.length; i++) {
                        if (scores.get(i) == null) {
                            missing.add(rooms.get(i));
                        }
                    }
                    return missing;
                });
    }

    @Override
    public CompletionStage<Long> count() {
        return link.read(RedisKeys.OCCUPIED, redis -> redis.zcard(RedisKeys.OCCUPIED));
    }
}
