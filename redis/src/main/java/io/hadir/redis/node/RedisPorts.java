package io.hadir.redis.node;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.node.Ports;
import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.stats.RecentChanges;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.RedisKeys;
import io.hadir.redis.inspect.RedisPeers;
import io.hadir.redis.inspect.RedisSeatRecords;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RedisHistoryLog;
import io.hadir.redis.stats.RedisRecentLog;
import io.hadir.redis.stats.RedisRemovalCounts;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.redis.store.RedisBanStore;
import io.hadir.redis.store.RedisNodes;
import io.hadir.redis.store.RedisPresenceScan;
import io.hadir.redis.store.RedisRoomFeed;
import io.hadir.redis.store.RedisStores;
import io.hadir.redis.store.RoomScripts;
import io.hadir.redis.store.UserScripts;
import io.hadir.redis.user.RedisUserStore;
import java.time.Duration;
import java.util.function.Supplier;

/** Makes the ports of one node on Redis. */
public final class RedisPorts {
    private static final Duration CHANGES_KEPT = Duration.ofHours(1);
    private static final Duration ACTIONS_KEPT = Duration.ofDays(90);
    private static final int MOST_ACTIONS = 1_000;

    private RedisPorts() {}

    /**
     * The ports as one node uses them.
     *
     * @param self the id of the node
     * @param description what the node says about itself, as JSON
     */
    public static Ports of(
            RedisLink link,
            String self,
            Supplier<String> description,
            RemovalStatistics statistics,
            PresenceSettings settings,
            UserSettings userSettings,
            PresenceObserver observer) {
        RedisRoomFeed feed = new RedisRoomFeed(link);
        RoomScripts scripts = new RoomScripts(link, self, settings);
        UserScripts userScripts = new UserScripts(link, userSettings);
        return new Ports(
                link.loop(),
                RedisStores.open(link, scripts, userScripts, statistics, settings, observer),
                feed,
                new RedisUserStore(link, feed, userScripts, self, userSettings),
                new RedisBanStore(scripts, statistics),
                new RedisNodes(link, feed, self, description, settings, observer),
                new RedisPresenceScan(link, scripts),
                new RedisSeatRecords(scripts),
                new RedisPeers(link, feed, self),
                new RedisHistoryLog(link),
                new RedisRemovalCounts(link),
                new RedisRecentLog(link, RedisKeys.RECENT_CHANGES, RecentChanges.MOST, CHANGES_KEPT),
                new RedisRecentLog(link, RedisKeys.RECENT_ACTIONS, MOST_ACTIONS, ACTIONS_KEPT));
    }
}
