package io.hadir.redis.user;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.UserUpdate;
import io.hadir.presence.room.UserUpdate.SocketState;
import io.hadir.presence.user.UserSettings;
import io.hadir.presence.user.UserStore.Renewal;
import io.hadir.presence.user.UserStore.Renewed;
import io.hadir.redis.store.OnStore;
import io.hadir.redis.store.RedisRoomFeed;
import io.hadir.redis.store.UserScripts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Renewals of many users at once, and the updates that they leave to do. */
class RenewIT extends OnStore {
    private static final RoomId ROOM = new RoomId("ruang tamu");
    private static final RoomId SEAT = new RoomId("seat");

    private RedisUserStore users;

    @BeforeEach
    void open() {
        UserSettings settings = UserSettings.of(Duration.ofSeconds(15), 20);
        users = new RedisUserStore(link, new RedisRoomFeed(link), new UserScripts(link, settings), "n", settings);
    }

    @Test
    void usersAreRenewedWithoutScripts() {
        List<Renewal> updated = new ArrayList<>();
        for (int i = 0; i < 120; i++) {
            updated.add(update("u" + i, i % 2 == 0 ? ROOM : null));
        }
        get(users.renew(updated));
        for (String key : redis.cli().keys("user:u*")) {
            if (!key.endsWith(":last_seen")) {
                redis.cli().pexpire(key, 5_000);
            }
        }
        long seen = Long.parseLong(redis.cli().get("user:u7:last_seen"));
        long before = scripts();

        Map<UserId, Renewed> renewed = get(users.renew(updated));

        // The link checks its permissions by a script from time to time.
        assertThat(scripts() - before).isLessThan(5);
        assertThat(renewed)
                .hasSize(120)
                .allSatisfy((user, outcome) -> assertThat(outcome).isEqualTo(Renewed.RENEWED));
        for (String user : List.of("u0", "u7", "u119")) {
            assertThat(redis.cli().ttl("user:" + user + ":online")).isBetween(85L, 90L);
            assertThat(redis.cli().ttl("user:" + user + ":last_seen")).isGreaterThan(7_000_000);
        }
        assertThat(Long.parseLong(redis.cli().get("user:u7:last_seen"))).isGreaterThanOrEqualTo(seen);
        assertThat(redis.cli().get("user:u0:active_room")).isEqualTo("ruang tamu");
        assertThat(redis.cli().ttl("user:u0:active_room")).isBetween(85L, 90L);
        assertThat(redis.cli().get("user:u7:active_room")).isNull();
    }

    @Test
    void usersWhoseStateChangedAreNotRenewed() {
        Renewal same = update("same", ROOM);
        Renewal calm = update("calm", null);
        Renewal forgotten = update("forgotten", ROOM);
        redis.cli().del("hadir:user:forgotten", "user:forgotten:online", "user:forgotten:active_room");
        Renewal unrecorded = update("unrecorded", null);
        redis.cli().del("hadir:user:unrecorded");
        Renewal unseen = update("unseen", null);
        redis.cli().del("user:unseen:last_seen");
        Renewal unfocused = update("unfocused", null);
        update(unfocused.user(), state("m.focused", 1, SEAT, 0), Map.of());
        Renewal elsewhere = update("elsewhere", ROOM);
        update(elsewhere.user(), state("m.other", 1, SEAT, 0), Map.of());
        Renewal moved = update("moved", ROOM);
        update(moved.user(), state("n.moved", 2, SEAT, 0), Map.of());
        Renewal out = update("out", null);
        get(users.disconnect(out.user(), null, null));
        update(out.user(), state("m.again", 1, null, 0), Map.of());
        Renewal odd = update("odd", ROOM);
        redis.cli().del("user:odd:active_room");
        redis.cli().lpush("user:odd:active_room", "a", "list");

        Map<UserId, Renewed> renewed = get(
                users.renew(List.of(calm, forgotten, unrecorded, unseen, unfocused, elsewhere, same, moved, out, odd)));

        assertThat(renewed).hasSize(10);
        assertThat(renewed.remove(same.user())).isEqualTo(Renewed.RENEWED);
        assertThat(renewed.remove(calm.user())).isEqualTo(Renewed.RENEWED);
        assertThat(renewed.values()).containsOnly(Renewed.CHANGED);
        assertThat(redis.cli().exists("user:forgotten:online", "user:unseen:last_seen"))
                .isZero();
        assertThat(redis.cli().get("user:elsewhere:active_room")).isEqualTo("seat");
        assertThat(redis.cli().get("user:moved:active_room")).isEqualTo("seat");
        // Updates of the single users repair all of it.
        for (Renewal one : List.of(forgotten, unrecorded, unseen, odd)) {
            SocketState state = state("n." + one.user().value(), 1, one.room(), 0);
            update(one.user(), state, Map.of());
        }
        assertThat(get(users.renew(List.of(forgotten, unrecorded, unseen, odd))).values())
                .containsOnly(Renewed.RENEWED);
    }

    @Test
    void aDemandToDisconnectASocketIsNoticedWithoutLookingForTheSocket() {
        Renewal out = update("out", null);
        get(users.disconnect(out.user(), null, null));
        Renewal brief = new Renewal(out.user(), List.of(), null);
        assertThat(get(users.renew(List.of(brief))).values()).containsOnly(Renewed.CHANGED);
    }

    @Test
    void anUpdateClearsUnreadThatAnotherProgramWrote() {
        Renewal unread = update("unread", ROOM);
        redis.cli().set("room:ruang%20tamu:unread:unread", "3");
        update(unread.user(), state("n.unread", 1, ROOM, 0), Map.of());
        assertThat(redis.cli().get("room:ruang%20tamu:unread:unread")).isEqualTo("0");
    }

    @Test
    void usersAreNeitherRenewedNorChangedIfRedisDoesNotAnswer() {
        Renewal same = update("same", ROOM);
        link.close();
        assertThat(get(users.renew(List.of(same)))).isEmpty();
    }

    @Test
    void aStepOfARecordedSocketRenewsNothing() {
        Renewal adi = update("adi", null);
        for (String key : List.of("user:adi:online", "user:adi:last_seen", "hadir:user:adi")) {
            redis.cli().pexpire(key, 50_000);
        }
        update(adi.user(), state("n.adi", 2, ROOM, 0), Map.of());
        for (String key : List.of("user:adi:online", "user:adi:last_seen", "hadir:user:adi")) {
            assertThat(redis.cli().pttl(key)).as(key).isBetween(1L, 50_000L);
        }
        assertThat(redis.cli().pttl("user:adi:active_room")).isBetween(80_000L, 90_000L);
    }

    /**
     * The only socket of a user takes a short way through the script; with a gone node to look for, it takes the
     * general one.
     */
    @Test
    void theOnlySocketIsRecordedAlikeOnBothWays() {
        record Step(long turn, @Nullable RoomId room, long since, boolean here) {}
        List<Step> steps = List.of(
                new Step(1, null, 0, true),
                new Step(2, ROOM, 0, true),
                new Step(2, ROOM, 0, true),
                new Step(2, ROOM, 1_700_000_000_000L, true),
                new Step(1, SEAT, 0, true),
                new Step(3, null, 0, true),
                new Step(3, null, 0, true),
                new Step(4, SEAT, 1_700_000_000_001L, true),
                new Step(5, null, 0, false));
        for (Step step : steps) {
            List<Object> usual = trace("usual", step.turn, step.room, step.since, step.here, Map.of());
            List<Object> general =
                    trace("general", step.turn, step.room, step.since, step.here, Map.of("x", Instant.EPOCH));
            assertThat(usual).as(step.toString()).isEqualTo(general);
        }
    }

    /** What a report leaves behind, with the same text for every recent time. */
    private List<Object> trace(
            String user, long turn, @Nullable RoomId room, long since, boolean here, Map<String, Instant> gone) {
        for (String key : redis.cli().keys("*user:" + user + "*")) {
            redis.cli().pexpire(key, 50_000);
        }
        SocketState state =
                new SocketState(new SocketId("n.s"), turn, here, false, room, since, List.of(SEAT), null, null);
        UserUpdate.Outcome updated = update(new UserId(user), state, gone);
        List<Object> found = new ArrayList<>();
        found.add(updated.leads());
        found.add(
                updated.since().get(0) > 1_750_000_000_000L
                        ? "now"
                        : updated.since().get(0));
        found.add(updated.toDisconnect());
        redis.cli()
                .hgetall("hadir:user:" + user)
                .forEach((field, value) ->
                        found.add(field + "=" + value.replaceAll("17[5-9]\\d{10}|1[89]\\d{11}", "now")));
        for (String key : List.of(
                "hadir:user:" + user,
                "user:" + user + ":online",
                "user:" + user + ":active_room",
                "user:" + user + ":last_seen")) {
            found.add(redis.cli().exists(key));
            found.add(redis.cli().pttl(key) > 50_000);
        }
        found.add(String.valueOf(redis.cli().get("user:" + user + ":active_room")));
        return found;
    }

    @Test
    void theRoomsOfASocketThatMayBeAsleepAreKeptForADayAndThoseOfAnyOtherForLess() {
        update("asleep", ROOM);
        update("closed", ROOM);
        goes("asleep", true);
        goes("closed", false);
        goes("asleep", false);
        assertThat(keptFor("asleep")).isGreaterThan(Duration.ofHours(23));
        assertThat(keptFor("closed")).isLessThan(Duration.ofHours(1));
    }

    private void goes(String user, boolean held) {
        SocketState gone = new SocketState(new SocketId("n." + user), 2, false, held, null, 0, List.of(), null, null);
        update(new UserId(user), gone, Map.of());
    }

    private Duration keptFor(String user) {
        String rooms = redis.cli().hget("hadir:user:" + user, "rooms");
        assertThat(rooms).endsWith(" " + SEAT);
        assertThat(redis.cli().pttl("hadir:user:" + user)).isPositive();
        return Duration.between(Instant.now(), Instant.ofEpochMilli(Long.parseLong(rooms.split(" ", -1)[0])));
    }

    /** Records a user with one socket; returns what renews them. */
    private Renewal update(String user, @Nullable RoomId room) {
        UserId id = new UserId(user);
        SocketState state = state("n." + user, 1, room, 0);
        assertThat(update(id, state, Map.of()).leads()).isTrue();
        return new Renewal(id, List.of(state.socket()), room);
    }

    private UserUpdate.Outcome update(UserId user, SocketState state, Map<String, Instant> gone) {
        return get(users.update(new UserUpdate(user, List.of(state), List.of(), 0, gone)))
                .orElseThrow();
    }

    private static SocketState state(String socket, long turn, @Nullable RoomId room, long since) {
        return new SocketState(new SocketId(socket), turn, true, false, room, since, List.of(SEAT), null, null);
    }

    private long scripts() {
        Matcher calls = Pattern.compile("cmdstat_evalsha:calls=(\\d+)")
                .matcher(redis.cli().info("commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }
}
