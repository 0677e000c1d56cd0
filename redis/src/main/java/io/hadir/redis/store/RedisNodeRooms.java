package io.hadir.redis.store;

import io.hadir.presence.NodeRooms;
import io.hadir.presence.room.RoomId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The record of each node's rooms on Redis: a set with a TTL. */
final class RedisNodeRooms implements NodeRooms {
    private static final Duration KEPT = Duration.ofDays(1);
    /**
     * In every record that its node has renewed, so that a lost or half lost one differs from an empty one. Not a
     * room.
     */
    private static final String MARK = ".";

    private static final ScanArgs PAGE = ScanArgs.Builder.limit(100);

    private final RedisLink link;

    RedisNodeRooms(RedisLink link) {
        this.link = link;
    }

    @Override
    public CompletionStage<Void> add(String node, Collection<RoomId> rooms) {
        String key = RedisKeys.rooms(node);
        return sadd(key, encoded(rooms)).thenAccept(added -> {});
    }

    @Override
    public CompletionStage<Void> remove(String node, Collection<RoomId> rooms) {
        String key = RedisKeys.rooms(node);
        return link.write(key, redis -> redis.srem(key, encoded(rooms))).thenAccept(removed -> {});
    }

    private static String[] encoded(Collection<RoomId> rooms) {
        return rooms.stream().map(RoomId::encoded).toArray(String[]::new);
    }

    @Override
    public CompletionStage<Boolean> renew(String node) {
        String key = RedisKeys.rooms(node);
        return sadd(key, MARK).thenApply(added -> added == 0);
    }

    private CompletionStage<Long> sadd(String key, String... members) {
        return link.write(
                key,
                redis -> redis.sadd(key, members)
                        .thenCombine(redis.pexpire(key, KEPT.toMillis()), (added, renewed) -> added));
    }

    @Override
    public CompletionStage<Boolean> each(String node, Function<List<RoomId>, CompletionStage<Boolean>> step) {
        return each(RedisKeys.rooms(node), ScanCursor.INITIAL, false, step);
    }

    private CompletionStage<Boolean> each(
            String key, ScanCursor begin, boolean marked, Function<List<RoomId>, CompletionStage<Boolean>> step) {
        return link.read(key, redis -> redis.sscan(key, begin, PAGE)).thenCompose(page -> {
            boolean whole = marked || page.getValues().contains(MARK);
            List<RoomId> rooms = page.getValues().stream()
                    .flatMap(name -> RoomId.decode(name).stream())
                    .toList();
            return step.apply(rooms)
                    .thenCompose(go -> go && !page.isFinished()
                            ? each(key, page, whole, step)
                            : CompletableFuture.completedFuture(whole));
        });
    }
}
