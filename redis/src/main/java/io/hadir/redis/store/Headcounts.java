package io.hadir.redis.store;

import io.hadir.presence.RoomStore.Headcount;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Stages;
import io.hadir.presence.room.UserId;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the users of large rooms by plain commands: reads the hints, and asks how many of their presences exist.
 * That costs Redis half of what a script does. In steps, so that no command takes Redis long.
 */
final class Headcounts {
    private static final Script DEAD = Script.ofRoom("list-dead");
    private static final int READ_AT_ONCE = 5_000;
    private static final int CHECKED_AT_ONCE = 1_000;

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;
    private final int atOnce;

    Headcounts(RedisLink link, RedisKeys keys, RoomScripts scripts) {
        this(link, keys, scripts, READ_AT_ONCE);
    }

    /** @param atOnce most hints to read in one step */
    Headcounts(RedisLink link, RedisKeys keys, RoomScripts scripts, int atOnce) {
        this.link = link;
        this.keys = keys;
        this.scripts = scripts;
        this.atOnce = atOnce;
    }

    /**
     * Adds the users behind a rank to those who were counted before them; null if hints before it came or went, so
     * that some may have been missed.
     *
     * @param last the hint that had this rank
     */
    CompletionStage<@Nullable Headcount> behind(Headcount before, RoomId room, long rank, String last) {
        Count count = new Count(room, before);
        return count.read(rank, last).thenApply(whole -> whole ? count.result(before.revision()) : null);
    }

    private final class Count {
        private final RoomId room;
        private final AtomicLong alive;
        private final List<UserId> dead;

        Count(RoomId room, Headcount before) {
            this.room = room;
            alive = new AtomicLong(before.alive());
            dead = new ArrayList<>(before.dead());
        }

        Headcount result(long revision) {
            synchronized (dead) {
                return new Headcount(alive.get(), revision, List.copyOf(dead));
            }
        }

        /**
         * Counts the users behind this rank; false if another hint has it.
         *
         * @param last the hint that had this rank, and was counted already
         */
        CompletionStage<Boolean> read(long from, String last) {
            return hints(from).thenCompose(found -> {
                int size = found.size();
                if (size == 0 || !found.name(0).equals(last)) {
                    return CompletableFuture.completedFuture(false);
                }
                List<CompletionStage<Void>> checked = new ArrayList<>();
                for (int i = 1; i < size; i += CHECKED_AT_ONCE) {
                    checked.add(check(found, i, Math.min(size, i + CHECKED_AT_ONCE)));
                }
                CompletionStage<Boolean> others = size < atOnce
                        ? CompletableFuture.completedFuture(true)
                        : read(from + size - 1, found.name(size - 1));
                return Stages.all(checked).thenCombine(others, (done, whole) -> whole);
            });
        }

        private CompletionStage<PresenceKeys> hints(long from) {
            CommandArgs<String, String> range = new CommandArgs<>(StringCodec.UTF8)
                    .addKey(link.inRedis(keys.index(room)))
                    .add(from)
                    .add(from + atOnce - 1);
            return link.read(
                    keys.index(room),
                    redis -> redis.dispatch(
                            CommandType.ZRANGE, new PresenceKeys(link.inRedis(keys.presences(room))), range));
        }

        private CompletionStage<Void> check(PresenceKeys found, int from, int to) {
            return link.read(
                            keys.index(room),
                            redis -> redis.dispatch(
                                    CommandType.EXISTS,
                                    new IntegerOutput<>(StringCodec.UTF8),
                                    found.arguments(from, to)))
                    .thenCompose(there -> {
                        alive.addAndGet(there);
                        return there == to - from
                                ? CompletableFuture.completedFuture(null)
                                : nameDead(found.names(from, to));
                    });
        }

        private CompletionStage<Void> nameDead(List<String> users) {
            return scripts.read(DEAD, room, users).thenAccept(answer -> {
                synchronized (dead) {
                    for (Object user : answer) {
                        String listed = (String) user;
                        UserId.decode(listed).ifPresentOrElse(dead::add, () -> scripts.forget(room, listed));
                    }
                }
            });
        }
    }
}
