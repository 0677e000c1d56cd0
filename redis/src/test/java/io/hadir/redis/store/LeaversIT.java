package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RemovalReason;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A usual leave takes a short way through its script. It ends like the general way, which a room with settings takes.
 */
class LeaversIT extends OnStore {
    private static final String END = "the-end";
    private static final String USER = "bu:di";

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 110})
    void aLeaveEndsAlikeBesideSoMany(int others) throws IOException {
        setGeneral();
        for (String room : List.of("usual", "general")) {
            for (int i = 0; i < others; i++) {
                join(room, "u" + i, "n.u" + i, 7, null);
            }
        }
        assertThat(traces("usual", 7)).isEqualTo(traces("general", 7));
    }

    @Test
    void aSecondLeaveEndsAlike() throws IOException {
        setGeneral();
        join("usual", "adi", "n.adi", 7, null);
        join("general", "adi", "n.adi", 7, null);
        traces("usual", 7);
        traces("general", 7);
        assertThat(traces("usual", 9)).isEqualTo(traces("general", 9));
    }

    @Test
    void aUsualLeaveNeedsNotTheSettings() throws IOException {
        for (String data : List.of("", "{\"joinedAt\":1,\"turn\":99}")) {
            join("usual", USER, "n.b", 7, data.isEmpty() ? null : data);
            assertThat(commands("usual", 8)).noneMatch(line -> line.contains("\"HMGET\""));
            assertThat(isPresent("usual")).isFalse();
        }
    }

    @Test
    void leavesRenewTheKeysOfARoomInWhichNobodyStaysLong() {
        for (int i = 0; i < 26; i++) {
            join("usual", "u" + i, "n.u" + i, 7, null);
        }
        List<String> keys = List.of("hadir:room:usual:index", "hadir:room:usual:revision");
        keys.forEach(key -> redis.cli().pexpire(key, 60_000));
        for (int i = 0; i < 16; i++) {
            Seat seat = new Seat(new RoomId("usual"), new UserId("u" + i));
            get(seats.leave(seat, new Holder(new SocketId("n.u" + i), 8), RemovalReason.LEFT, false));
        }
        assertThat(keys).allSatisfy(key -> assertThat(redis.cli().pttl(key)).isGreaterThan(TTL.toMillis()));
    }

    @Test
    void aLeaveBeforeTheJoinOfTheSameSocketChangesNothing() throws IOException {
        join("usual", USER, "n.b", 7, null);
        commands("usual", 6);
        assertThat(isPresent("usual")).isTrue();
    }

    @Test
    void aLeaveOfOneOfTwoSocketsKeepsTheUser() throws IOException {
        join("usual", USER, "n.a", 7, null);
        join("usual", USER, "n.b", 7, null);
        commands("usual", 8);
        assertThat(redis.cli().get("room:presence:usual:bu%3Adi")).isEqualTo("n.a");
    }

    @Test
    void aHistoryNamesAJoinThatItHasAlreadyOnlyOnce() throws IOException {
        join("usual", USER, "n.a", 7, null);
        join("usual", USER, "n.b", 7, null);
        get(seats.leave(seat("usual"), new Holder(new SocketId("n.a"), 8), RemovalReason.LEFT, false));
        commands("usual", 8);
        assertThat(redis.cli().get("hadir:room:usual:history:bu%3Adi").split(" joined ", -1))
                .hasSize(2);
    }

    private void setGeneral() {
        redis.cli().hset("hadir:room:general:settings", "ttlSeconds", Long.toString(TTL.toSeconds()));
    }

    /**
     * All that a join and a leave leave behind, with the same text for the same room and for every time and revision.
     */
    private Map<String, Object> traces(String name, long turn) throws IOException {
        join(name, USER, "n.b", turn, null);
        Map<String, Object> found = new TreeMap<>();
        String room = "hadir:room:" + name;
        long before = Long.parseLong(redis.cli().get(room + ":revision"));
        String message = commands(name, turn + 1).stream()
                .filter(line -> line.contains("\"SPUBLISH\""))
                .findFirst()
                .orElseThrow();
        found.put("message", message.replaceFirst(".*\"SPUBLISH\" \\S+ ", "").length());
        found.put("counted", message.replaceAll(".*(alive|hinted)\\D*(\\d+).*", "$1 $2"));
        found.put("revision", Long.parseLong(redis.cli().get(room + ":revision")) - before);
        found.put("present", isPresent(name));
        found.put("details", redis.cli().exists("room:" + name + ":user:bu%3Adi"));
        found.put("hint", String.valueOf(redis.cli().zscore(room + ":index", "bu%3Adi")));
        found.put("history", redis.cli().get(room + ":history:bu%3Adi").replaceAll("\\d{13}", "T"));
        String removals = redis.cli().keys(room + ":removals:*").get(0);
        found.put("removals", redis.cli().hgetall(removals));
        for (String key : List.of(room + ":index", room + ":revision", room + ":history:bu%3Adi", removals)) {
            found.put(
                    "minutes left of " + key.replace(name, "R"),
                    Math.round(redis.cli().ttl(key) / 60.0));
        }
        return found;
    }

    private boolean isPresent(String room) {
        return redis.cli().exists("room:presence:" + room + ":bu%3Adi") == 1;
    }

    /** The commands of a leave. */
    private List<String> commands(String room, long turn) throws IOException {
        try (Monitor monitor = new Monitor(redis)) {
            get(seats.leave(seat(room), new Holder(new SocketId("n.b"), turn), RemovalReason.LEFT, false));
            redis.cli().echo(END);
            return monitor.until(END);
        }
    }

    private static Seat seat(String room) {
        return new Seat(new RoomId(room), new UserId(USER));
    }

    private void join(String room, String user, String socket, long turn, @Nullable String data) {
        Username username = Username.parse("Bu \"di\",\"✓/").toOptional().orElseThrow();
        Profile profile = new Profile(username, username, data);
        Seat seat = new Seat(new RoomId(room), new UserId(user));
        get(seats.join(SeatStore.Join.of(seat, new Holder(new SocketId(socket), turn), profile)));
    }
}
