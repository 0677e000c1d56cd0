package io.hadir.redis.store;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.Stores;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;

/** The stores of presence on Redis. */
public final class RedisStores {
    private RedisStores() {}

    /** The stores as one node uses them. */
    public static Stores open(
            RedisLink link,
            RoomScripts scripts,
            UserScripts users,
            RemovalStatistics statistics,
            PresenceSettings settings,
            PresenceObserver observer) {
        RedisKeys keys = scripts.keys();
        return new Stores(
                new RedisSeatStore(link, keys, scripts, users, statistics, settings, observer),
                new RedisRoomStore(link, keys, scripts, statistics),
                new RedisRoomDirectory(link),
                new RedisRoomSettings(link, keys, scripts),
                new RedisNodeRooms(link));
    }
}
