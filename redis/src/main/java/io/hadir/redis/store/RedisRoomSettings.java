package io.hadir.redis.store;

import io.hadir.presence.RoomSettingsStore;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.RoomSettings;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.link.Script;
import io.lettuce.core.KeyValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Settings of rooms on Redis: one hash each. */
final class RedisRoomSettings implements RoomSettingsStore {
    private static final Script CONFIGURE = Script.ofRoom("configure");

    private final RedisLink link;
    private final RedisKeys keys;
    private final RoomScripts scripts;

    RedisRoomSettings(RedisLink link, RedisKeys keys, RoomScripts scripts) {
        this.link = link;
        this.keys = keys;
        this.scripts = scripts;
    }

    @Override
    public CompletionStage<RoomSettings> read(RoomId room) {
        String key = keys.settings(room);
        return link.read(
                        key,
                        redis -> redis.hmget(key, "ttlSeconds", "inactivityMessage", "maxParticipants", "awaySeconds"))
                .thenApply(values -> {
                    Integer ttl = number(values.get(0));
                    Integer away = number(values.get(3));
                    return new RoomSettings(
                            ttl == null ? null : Duration.ofSeconds(ttl),
                            away == null ? null : Duration.ofSeconds(away),
                            values.get(1).getValueOrElse(null),
                            number(values.get(2)));
                });
    }

    @Override
    public CompletionStage<Void> write(RoomId room, RoomSettings settings) {
        Duration ttl = settings.ttl();
        Duration away = settings.away();
        Integer most = settings.maxParticipants();
        List<String> own = List.of(
                ttl == null ? "" : Long.toString(ttl.toSeconds()),
                Optional.ofNullable(settings.inactivityMessage()).orElse(""),
                most == null ? "" : most.toString(),
                away == null ? "" : Long.toString(away.toSeconds()));
        return scripts.writeForNumber(CONFIGURE, room, own).thenAccept(done -> {});
    }

    /** Null also for values of other programs that are no numbers. The scripts ignore those, too. */
    private static @Nullable Integer number(KeyValue<String, String> value) {
        String text = value.getValueOrElse("");
        long number = text.matches("[1-9][0-9]{0,9}") ? Long.parseLong(text) : 0;
        return number >= 1 && number <= Integer.MAX_VALUE ? (Integer) (int) number : null;
    }
}
