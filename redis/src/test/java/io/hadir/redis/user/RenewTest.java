package io.hadir.redis.user;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.UserStore.Renewal;
import io.hadir.presence.user.UserStore.SocketState;
import io.hadir.presence.user.UserStore.Updated;
import io.hadir.redis.store.OnStore;
import io.hadir.redis.store.RedisRoomFeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is said again of many users at once. */
class RenewTest extends OnStore {
    private static final RoomId ROOM = new RoomId("r");
    private static final RoomId SEAT = new RoomId("seat");

    private RedisUserStore users;

    @BeforeEach
    void open() {
        users = new RedisUserStore(link, new RedisRoomFeed(link), "n", UserSettings.of(Duration.ofSeconds(15), 20));
    }

    @Test
    void manyUsersAreRenewedByFewScripts() {
        List<Renewal> updated = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            updated.add(update("u" + i, i % 2 == 0 ? ROOM : null));
        }
        get(users.renew(updated));
        for (String key : redis.cli().keys("*user:u*")) {
            redis.cli().pexpire(key, 5_000);
        }
        long seen = Long.parseLong(redis.cli().get("user:u7:last_seen"));
        long before = scripts();

        Map<UserId, Updated> renewed = get(users.renew(updated));

        assertThat(scripts() - before).isEqualTo(3);
        assertThat(renewed).hasSize(120);
        assertThat(renewed.get(new UserId("u8"))).satisfies(said -> {
            assertThat(said.online()).isTrue();
            assertThat(said.since()).containsExactly(updated.get(8).socket().since());
        });
        for (String user : List.of("u0", "u7", "u119")) {
            assertThat(redis.cli().ttl("user:" + user + ":online")).isBetween(85L, 90L);
            assertThat(redis.cli().ttl("hadir:user:" + user + ":sockets")).isBetween(85L, 90L);
            assertThat(redis.cli().ttl("hadir:user:" + user + ":rooms")).isBetween(115L, 120L);
            assertThat(redis.cli().ttl("user:" + user + ":last_seen")).isGreaterThan(7_000_000);
            assertThat(redis.cli().zrange("hadir:user:" + user + ":rooms", 0, -1))
                    .containsExactly("seat");
        }
        assertThat(Long.parseLong(redis.cli().get("user:u7:last_seen"))).isGreaterThanOrEqualTo(seen);
        assertThat(redis.cli().get("user:u0:active_room")).isEqualTo("r");
        assertThat(redis.cli().ttl("user:u0:active_room")).isBetween(85L, 90L);
        assertThat(redis.cli().get("user:u7:active_room")).isNull();
        // The renewal keeps the turn and the focus for the next step of the socket.
        assertThat(redis.cli().hget("hadir:user:u0:sockets", "n.u0"))
                .endsWith(" 1 " + updated.get(0).socket().since() + " r");
    }

    @Test
    void usersWhoseStateChangedAreNotRenewed() {
        Renewal same = update("same", ROOM);
        Renewal forgotten = update("forgotten", ROOM);
        redis.cli().del("hadir:user:forgotten:sockets", "user:forgotten:online");
        Renewal elsewhere = update("elsewhere", ROOM);
        get(users.update(elsewhere.user(), List.of(state("m.other", 1, null, 0)), List.of(), 0, Map.of()));
        Renewal moved = update("moved", ROOM);
        get(users.update(moved.user(), List.of(state("n.moved", 2, SEAT, 0)), List.of(), 0, Map.of()));
        Renewal unread = update("unread", ROOM);
        redis.cli().set("room:r:unread:unread", "3");
        Renewal broken = update("broken", ROOM);
        redis.cli().del("hadir:user:broken:rooms");
        redis.cli().set("hadir:user:broken:rooms", "a string");
        Renewal odd = update("odd", ROOM);
        redis.cli().del("hadir:user:odd:sockets");
        redis.cli().set("hadir:user:odd:sockets", "a string");

        Map<UserId, Updated> renewed =
                get(users.renew(List.of(forgotten, elsewhere, same, moved, unread, broken, odd)));

        assertThat(renewed.keySet()).isEqualTo(Set.of(same.user()));
        assertThat(redis.cli().exists("user:forgotten:online")).isZero();
        assertThat(redis.cli().get("user:moved:active_room")).isEqualTo("seat");
        assertThat(redis.cli().get("room:r:unread:unread")).isEqualTo("3");
        // Updates of the single users repair all of it.
        for (Renewal one : List.of(forgotten, unread, broken, odd)) {
            get(users.update(one.user(), List.of(one.socket()), one.seats(), 0, Map.of()));
        }
        assertThat(get(users.renew(List.of(forgotten, unread, broken, odd)))).hasSize(4);
        assertThat(redis.cli().get("room:r:unread:unread")).isEqualTo("0");
    }

    /** Records a user with one socket; returns what renews them. */
    private Renewal update(String user, @Nullable RoomId room) {
        UserId id = new UserId(user);
        SocketState state = state("n." + user, 1, room, 0);
        Updated updated = get(users.update(id, List.of(state), List.of(SEAT), 0, Map.of()))
                .orElseThrow();
        return new Renewal(id, state("n." + user, 1, room, updated.since().get(0)), List.of(SEAT));
    }

    private static SocketState state(String socket, long turn, @Nullable RoomId room, long since) {
        return new SocketState(new SocketId(socket), turn, true, room, since, null);
    }

    private long scripts() {
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                .matcher(redis.cli().info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }
}
