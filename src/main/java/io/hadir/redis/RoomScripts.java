package io.hadir.redis;

import io.hadir.presence.RoomId;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** Runs room scripts with what every one of them is given. See {@code prelude.lua}. */
final class RoomScripts {
    private final RedisLink link;
    private final RedisKeys keys;
    private final Duration ttl;
    private final String self;

    RoomScripts(RedisLink link, RedisKeys keys, Duration ttl, String self) {
        this.link = link;
        this.keys = keys;
        this.ttl = ttl;
        this.self = self;
    }

    CompletionStage<List<Object>> write(Script script, RoomId room, List<String> own) {
        return link.write(
                keys.index(room), redis -> script.run(redis, ScriptOutputType.MULTI, keys(room), arguments(room, own)));
    }

    CompletionStage<String> writeForText(Script script, RoomId room, List<String> own) {
        return link.write(
                keys.index(room), redis -> script.run(redis, ScriptOutputType.VALUE, keys(room), arguments(room, own)));
    }

    CompletionStage<Long> writeForNumber(Script script, RoomId room, List<String> own) {
        return link.write(
                keys.index(room),
                redis -> script.run(redis, ScriptOutputType.INTEGER, keys(room), arguments(room, own)));
    }

    CompletionStage<List<Object>> read(Script script, RoomId room, List<String> own) {
        return link.read(
                keys.index(room), redis -> script.run(redis, ScriptOutputType.MULTI, keys(room), arguments(room, own)));
    }

    /** Asks about several rooms of one slot with a script that has no use for the rest. */
    CompletionStage<List<Object>> readTogether(Script script, List<RoomId> rooms, String own) {
        List<String> asked = new ArrayList<>();
        List<String> arguments = new ArrayList<>(List.of(own));
        for (RoomId room : rooms) {
            asked.addAll(keys.whole(keys.index(room), keys.revision(room), keys.nothing(room)));
            arguments.add(keys.presences(room));
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
                keys.presences(room),
                keys.details(room),
                keys.fences(room),
                keys.removals(room),
                keys.changes(room),
                room.value(),
                Long.toString(ttl.toMillis()),
                keys.histories(room),
                self));
        arguments.addAll(own);
        return arguments;
    }
}
