package io.hadir.redis.store;

import io.hadir.presence.room.Page;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomRules;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs room scripts with the keys and arguments of {@code room-prelude.lua}. If a write fails because a key of the
 * room has the wrong type, it repairs the room and runs the script once more.
 */
public final class RoomScripts {
    private static final Logger LOG = LoggerFactory.getLogger(RoomScripts.class);
    private static final Script REPAIR = Script.ofRoom("repair");
    private static final Script LIST_PRESENT = Script.ofRoom("list-present");

    private final RedisLink link;
    private final RedisKeys keys;
    private final Duration ttl;
    private final String self;

    /**
     * The scripts as one node runs them.
     *
     * @param self the node that is recorded as the author of changes
     */
    public RoomScripts(RedisLink link, String self, PresenceSettings settings) {
        this.link = link;
        this.keys = new RedisKeys(link.isCluster());
        this.ttl = settings.ttl();
        this.self = self;
    }

    public RedisKeys keys() {
        return keys;
    }

    CompletionStage<List<Object>> write(Script script, RoomId room, List<String> own) {
        return write(script, ScriptOutputType.MULTI, room, List.of(), own);
    }

    /** @param more keys of others than the room, which are in the same slot */
    CompletionStage<List<Object>> write(Script script, RoomId room, List<String> more, List<String> own) {
        return write(script, ScriptOutputType.MULTI, room, more, own);
    }

    CompletionStage<String> writeForText(Script script, RoomId room, List<String> own) {
        return write(script, ScriptOutputType.VALUE, room, List.of(), own);
    }

    CompletionStage<Long> writeForNumber(Script script, RoomId room, List<String> own) {
        return write(script, ScriptOutputType.INTEGER, room, List.of(), own);
    }

    private <T> CompletionStage<T> write(
            Script script, ScriptOutputType type, RoomId room, List<String> more, List<String> own) {
        return this.<T>send(script, type, room, more, own)
                .exceptionallyCompose(failed -> isWithinAScript(failed)
                        ? repair(room)
                                .thenCompose(repaired -> repaired
                                        ? send(script, type, room, more, own)
                                        : CompletableFuture.failedStage(failed))
                        : CompletableFuture.failedStage(failed));
    }

    private <T> CompletionStage<T> send(
            Script script, ScriptOutputType type, RoomId room, List<String> more, List<String> own) {
        List<String> all = new ArrayList<>(keys(room));
        all.addAll(more);
        return link.write(keys.index(room), redis -> script.run(redis, type, all, arguments(room, own)));
    }

    /** Deletes the room's keys that have the wrong type; completes with whether there were any. */
    CompletionStage<Boolean> repair(RoomId room) {
        return this.<List<Object>>send(REPAIR, ScriptOutputType.MULTI, room, List.of(), List.of())
                .thenApply(deleted -> {
                    for (int i = 0; i < deleted.size(); i += 2) {
                        LOG.warn(
                                "room {}: deleted the key {}, which had the wrong type {}",
                                room,
                                deleted.get(i),
                                deleted.get(i + 1));
                    }
                    return !deleted.isEmpty();
                });
    }

    /** Removes an invalid entry from the room's index. */
    void forget(RoomId room, String listed) {
        link.write(keys.index(room), redis -> redis.zrem(keys.index(room), listed));
    }

    /** Those of these users who are alive, with the evidence, whether or not the room's index has them. */
    CompletionStage<Page> present(RoomId room, List<String> users) {
        return read(LIST_PRESENT, room, users).thenApply(answer -> {
            List<Participant> alive = new ArrayList<>();
            RoomList.add(alive, answer, true, invalid -> forget(room, invalid));
            return new Page(alive, null, number(answer.get(0)));
        });
    }

    private static boolean isWithinAScript(Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        return cause.getCause() instanceof RedisCommandExecutionException error
                && String.valueOf(error.getMessage()).contains("user_script");
    }

    public CompletionStage<List<Object>> read(Script script, RoomId room, List<String> own) {
        return link.read(
                keys.index(room), redis -> script.run(redis, ScriptOutputType.MULTI, keys(room), arguments(room, own)));
    }

    /** The rules of a room without settings. */
    RoomRules standardRules() {
        return new RoomRules(ttl, null);
    }

    /** The rules of a room with these settings, each empty if it is not set; as {@code room-prelude.lua} reads them. */
    RoomRules rules(String ttlSeconds, String inactivityMessage) {
        boolean valid = ttlSeconds.matches("[1-9]\\d{0,8}");
        return new RoomRules(
                valid ? Duration.ofSeconds(Long.parseLong(ttlSeconds)) : ttl,
                inactivityMessage.isEmpty() ? null : inactivityMessage);
    }

    /** Runs a script about several rooms of one slot that needs only their index, revision and presences. */
    CompletionStage<List<Object>> readTogether(Script script, List<RoomId> rooms, String own) {
        List<String> asked = new ArrayList<>();
        List<String> arguments = new ArrayList<>(List.of(own));
        for (RoomId room : rooms) {
            asked.addAll(keys.whole(keys.index(room), keys.revision(room), keys.nothing(room)));
            arguments.add(link.inRedis(keys.presences(room)));
        }
        return link.read(asked.get(0), redis -> script.run(redis, ScriptOutputType.MULTI, asked, arguments));
    }

    private List<String> keys(RoomId room) {
        return keys.whole(
                keys.index(room),
                keys.revision(room),
                keys.lapses(room),
                keys.settings(room),
                keys.bans(room),
                keys.nothing(room));
    }

    private List<String> arguments(RoomId room, List<String> own) {
        List<String> arguments = new ArrayList<>(List.of(
                link.inRedis(keys.presences(room)),
                link.inRedis(keys.details(room)),
                link.inRedis(keys.fences(room)),
                link.inRedis(keys.removals(room)),
                link.inRedis(keys.changes(room)),
                room.value(),
                Long.toString(ttl.toMillis()),
                link.inRedis(keys.histories(room)),
                self));
        arguments.addAll(own);
        return arguments;
    }

    /** A number in a script's answer. */
    public static long number(Object value) {
        return value instanceof Long number ? number : Long.parseLong(String.valueOf(value));
    }
}
