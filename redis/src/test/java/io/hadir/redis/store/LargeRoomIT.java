package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.PresenceObserver;
import io.hadir.presence.RoomStore;
import io.hadir.presence.SeatStore;
import io.hadir.presence.Stores;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Page;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import io.hadir.presence.user.UserSettings;
import io.hadir.redis.link.RedisAddress;
import io.hadir.redis.link.RedisLink;
import io.hadir.redis.stats.RemovalStatistics;
import io.hadir.testing.TestRedis;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rooms and databases of a size at which a careless command would stop Redis for everybody. */
class LargeRoomIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final int MANY = 100_000;
    private static final int AT_ONCE = 200;
    private static final RoomId ROOM = new RoomId("arena");

    /** The most users that one command may count, or announce; few enough for a few milliseconds. */
    private static final int COUNTED = 5_000;

    private static final int ANNOUNCED = 1_000;

    @Test
    void f43_f44_aRoomOfAHundredThousandIsCountedListedAndExpiredInShortSteps() {
        try (RedisLink link = new RedisLink(RedisAddress.parse(REDIS.url()))) {
            link.open();
            await().until(link::isUp);
            Stores stores = RedisStores.open(
                    link,
                    new RoomScripts(link, "n", OnStore.SETTINGS),
                    new UserScripts(link, UserSettings.of(OnStore.SETTINGS.grace(), 20)),
                    new RemovalStatistics(link, InstantSource.system()),
                    OnStore.SETTINGS,
                    PresenceObserver.UNSEEN);
            RoomStore rooms = stores.rooms();
            fill(stores.seats());

            long before = calls("exists");
            assertThat(get(rooms.count(ROOM)).alive()).isEqualTo(MANY);
            assertThat(calls("exists") - before).isGreaterThanOrEqualTo(MANY / COUNTED);
            Set<UserId> listed = new HashSet<>();
            Page page = get(rooms.list(ROOM, null, 1000));
            page.participants().forEach(one -> listed.add(one.user()));
            while (page.next() != null) {
                page = get(rooms.list(ROOM, page.next(), 1000));
                page.participants().forEach(one -> listed.add(one.user()));
            }
            assertThat(listed).hasSize(MANY);

            List<String> keys = listed.stream()
                    .map(user -> "room:presence:" + ROOM + ":" + user)
                    .toList();
            for (int i = 0; i < keys.size(); i += AT_ONCE) {
                REDIS.cli().unlink(keys.subList(i, i + AT_ONCE).toArray(String[]::new));
            }
            RoomStore.Headcount count = get(rooms.count(ROOM));
            assertThat(count.alive()).isZero();
            before = calls("evalsha");
            get(rooms.announceExpired(ROOM, count.dead(), null));
            assertThat(REDIS.cli().zcard("hadir:room:arena:index")).isZero();
            assertThat(calls("evalsha") - before).isGreaterThanOrEqualTo(MANY / ANNOUNCED);
        }
    }

    /** How many of these commands Redis has run so far. */
    private static long calls(String command) {
        Matcher calls = Pattern.compile("cmdstat_" + command + ":calls=(\\d+)")
                .matcher(REDIS.cli().info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    private static void fill(SeatStore seats) {
        List<CompletionStage<?>> sent = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            UserId user = new UserId("u" + i);
            sent.add(seats.join(SeatStore.Join.of(
                    new Seat(ROOM, user), new Holder(new SocketId("n.s" + i), 1), Profile.named(Username.of(user)))));
            if (sent.size() == AT_ONCE) {
                sent.forEach(TestNode::get);
                sent.clear();
            }
        }
    }
}
