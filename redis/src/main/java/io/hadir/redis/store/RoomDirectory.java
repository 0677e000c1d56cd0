package io.hadir.redis.store;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.ScoredValue;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The list of rooms that may be occupied, and the settings of rooms. */
final class RoomDirectory {
    private static final Script CONFIGURE = Script.ofRoom("configure");
    /** Every sweep renews the list. */
    private static final Duration KEPT = Duration.ofDays(1);

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;

    RoomDirectory(RedisLink link, RedisKeys keys, RoomScripts scripts) {
        this.link = link;
        this.keys = keys;
        this.scripts = scripts;
    }

    CompletionStage<Void> note(Collection<RoomId> rooms) {
        @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
        ScoredValue<String>[] values =
                rooms.stream().map(room -> ScoredValue.just(0, room.encoded())).toArray(ScoredValue[]::new);
        return link.write(
                        RedisKeys.OCCUPIED,
                        redis -> redis.zadd(RedisKeys.OCCUPIED, values)
                                .thenCombine(redis.expire(RedisKeys.OCCUPIED, KEPT), (added, renewed) -> added))
                .thenAccept(added -> {});
    }

    CompletionStage<Void> forget(Collection<RoomId> rooms) {
        String[] values = rooms.stream().map(RoomId::encoded).toArray(String[]::new);
        return link.write(RedisKeys.OCCUPIED, redis -> redis.zrem(RedisKeys.OCCUPIED, values))
                .thenAccept(removed -> {});
    }

    /** All rooms have the same score, so they are ordered by name. */
    CompletionStage<List<RoomId>> after(@Nullable RoomId room, int most) {
        Range<String> range = Range.from(
                room == null ? Range.Boundary.unbounded() : Range.Boundary.excluding(room.encoded()),
                Range.Boundary.unbounded());
        return link.read(
                        RedisKeys.OCCUPIED,
                        redis -> redis.zrangebylex(RedisKeys.OCCUPIED, range, Limit.create(0, most)))
                .thenApply(names -> names.stream()
                        .flatMap(name -> RoomId.decode(name).stream())
                        .toList());
    }

    /** The given rooms that are not on the list. */
    CompletionStage<Set<RoomId>> without(List<RoomId> rooms) {
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

    CompletionStage<Long> count() {
        return link.read(RedisKeys.OCCUPIED, redis -> redis.zcard(RedisKeys.OCCUPIED));
    }

    CompletionStage<RoomSettings> settings(RoomId room) {
        String key = keys.settings(room);
        return link.read(key, redis -> redis.hmget(key, "ttlSeconds", "inactivityMessage", "maxParticipants"))
                .thenApply(values -> {
                    Integer ttl = number(values.get(0));
                    return new RoomSettings(
                            ttl == null ? null : Duration.ofSeconds(ttl),
                            values.get(1).getValueOrElse(null),
                            number(values.get(2)));
                });
    }

    CompletionStage<Void> configure(RoomId room, RoomSettings settings) {
        Duration ttl = settings.ttl();
        Integer most = settings.maxParticipants();
        List<String> own = List.of(
                ttl == null ? "" : Long.toString(ttl.toSeconds()),
                Optional.ofNullable(settings.inactivityMessage()).orElse(""),
                most == null ? "" : most.toString());
        return scripts.writeForNumber(CONFIGURE, room, own).thenAccept(done -> {});
    }

    /** Null also for an invalid value of another program, which the scripts ignore, too. */
    private static @Nullable Integer number(KeyValue<String, String> value) {
        String text = value.getValueOrElse("");
        long number = text.matches("[1-9][0-9]{0,9}") ? Long.parseLong(text) : 0;
        return number >= 1 && number <= Integer.MAX_VALUE ? (Integer) (int) number : null;
    }
}
