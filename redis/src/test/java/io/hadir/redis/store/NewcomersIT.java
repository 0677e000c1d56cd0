package io.hadir.redis.store;

import static io.hadir.redis.store.TestNode.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.presence.SeatStore;
import io.hadir.presence.SeatStore.ListRequest;
import io.hadir.presence.room.Holder;
import io.hadir.presence.room.JoinOutcome;
import io.hadir.presence.room.JoinOutcome.Joined;
import io.hadir.presence.room.Participant;
import io.hadir.presence.room.Profile;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.Roster;
import io.hadir.presence.room.Seat;
import io.hadir.presence.room.SocketId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.room.Username;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/**
 * A newcomer's join takes a short way through its script. It ends like the general way, which a room with settings
 * takes.
 */
class NewcomersIT extends OnStore {
    private static final JsonMapper JSON = new JsonMapper();
    private static final String END = "the-end";

    private boolean first;

    @Test
    void aJoinWithoutAListEndsAlike() throws IOException {
        assertAlike(room -> null);
    }

    @Test
    void aJoinThatKnowsTheRosterEndsAlike() throws IOException {
        assertAlike(room -> new ListRequest(
                100, get(rooms.listFirst(room, 100, Roster.UNKNOWN)).everybody()));
    }

    @Test
    void aJoinThatKnowsNobodyEndsAlike() throws IOException {
        assertAlike(room -> new ListRequest(100, Roster.UNKNOWN));
    }

    @Test
    void aJoinOfAStaleRosterEndsAlike() throws IOException {
        assertAlike(room -> new ListRequest(100, new Roster(7, List.of())));
    }

    @Test
    void aJoinThatListsOnlyAFewEndsAlike() throws IOException {
        for (String room : List.of("usual", "general")) {
            join(new RoomId(room), "aa", "Aa", null);
        }
        assertAlike(room -> new ListRequest(1, null));
    }

    @Test
    void theFirstJoinInARoomEndsAlike() throws IOException {
        first = true;
        assertAlike(room -> new ListRequest(100, Roster.UNKNOWN));
    }

    @Test
    void newcomersNeedNotTheSettings() throws IOException {
        RoomId room = new RoomId("usual");
        try (Monitor monitor = new Monitor(redis)) {
            join(room, "adi", "Adi", new ListRequest(100, Roster.UNKNOWN));
            join(room, "budi", "Budi", new ListRequest(100, Roster.UNKNOWN));
            join(room, "citra", "Citra", new ListRequest(100, new Roster(7, List.of())));
            redis.cli().echo(END);
            assertThat(monitor.until(END)).noneMatch(line -> line.contains("\"HMGET\""));
        }
    }

    @Test
    void aJoinIntoACrowdEndsAlike() throws IOException {
        for (String room : List.of("usual", "general")) {
            for (int i = 0; i < 110; i++) {
                join(new RoomId(room), "u" + i, "u", null);
            }
        }
        assertAlike(room -> null);
    }

    @Test
    void joinsRenewTheKeysOfARoomInWhichNobodyStaysLong() {
        RoomId room = new RoomId("usual");
        for (int i = 0; i < 10; i++) {
            join(room, "u" + i, "u", null);
        }
        List<String> keys = List.of("hadir:room:usual:index", "hadir:room:usual:revision");
        keys.forEach(key -> redis.cli().pexpire(key, 60_000));
        for (int i = 10; i < 26; i++) {
            join(room, "u" + i, "u", null);
        }
        assertThat(keys).allSatisfy(key -> assertThat(redis.cli().pttl(key)).isGreaterThan(TTL.toMillis()));
    }

    @Test
    void aJoinBesideADeadUserListsOnlyTheLiving() {
        RoomId room = new RoomId("usual");
        join(room, "adi", "Adi", null);
        join(room, "citra", "Citra", null);
        ListRequest list = new ListRequest(
                100, get(rooms.listFirst(room, 100, Roster.UNKNOWN)).everybody());
        redis.cli().del("room:presence:usual:adi");
        assertThat(names(join(room, "budi", "Budi", list))).containsExactly("Citra", "Budi");
    }

    private void assertAlike(Function<RoomId, @Nullable ListRequest> list) throws IOException {
        redis.cli().hset("hadir:room:general:settings", "ttlSeconds", Long.toString(TTL.toSeconds()));
        assertThat(traces("usual", list)).isEqualTo(traces("general", list));
    }

    /** All that a newcomer leaves behind, with the same text for the same room and for every time and revision. */
    private Map<String, Object> traces(String name, Function<RoomId, @Nullable ListRequest> list) throws IOException {
        RoomId room = new RoomId(name);
        if (!first) {
            join(room, "adi", "Adi", null);
        }
        Map<String, Object> found = new TreeMap<>();
        long before = first ? 0 : Long.parseLong(redis.cli().get("hadir:room:" + name + ":revision"));
        ListRequest asked = list.apply(room);
        try (Monitor monitor = new Monitor(redis)) {
            Joined joined = join(room, "bu:di", "Bu \"di\" ✓/", asked);
            redis.cli().echo(END);
            String message = monitor.until(END).stream()
                    .filter(line -> line.contains("\"SPUBLISH\""))
                    .findFirst()
                    .orElseThrow();
            // Numbers are those of times and revisions; the length shows that all fields are there, in whatever order.
            found.put(
                    "message", message.replaceFirst(".*\"SPUBLISH\" \\S+ ", "").length());
            found.put("counted", message.replaceAll(".*(alive|hinted)\\D*(\\d+).*", "$1 $2"));
            found.put("revision", first ? joined.revision() > 1_000_000_000_000L : joined.revision() - before);
            found.put("ttl", joined.rules().ttl());
            found.put("name", joined.username());
            found.put("change", joined.change().orElseThrow().getClass());
            found.put("listed", joined.view().isEmpty() ? List.of() : names(joined));
            // A script may take a millisecond from reading the clock to setting a TTL.
            found.put(
                    "active minutes after the join",
                    joined.view().stream()
                            .flatMap(view -> view.first().page().participants().stream())
                            .map(one -> Duration.between(one.joinedAt(), one.lastActiveAt())
                                    .toMinutes())
                            .toList());
            found.put("lapse", joined.view().flatMap(JoinOutcome.View::nextLapse));
        }
        found.put("presence", redis.cli().get("room:presence:" + name + ":bu%3Adi"));
        String details = redis.cli().get("room:" + name + ":user:bu%3Adi");
        found.put("details", JSON.readValue(details.replaceAll("\\d{13}", "0").replace(name, "R"), TreeMap.class));
        found.put("hint", redis.cli().zscore("hadir:room:" + name + ":index", "bu%3Adi") > 0);
        for (String key : List.of(
                "room:presence:" + name + ":bu%3Adi",
                "room:" + name + ":user:bu%3Adi",
                "hadir:room:" + name + ":index",
                "hadir:room:" + name + ":revision")) {
            found.put(
                    "hours left of " + key.replace(name, "R"),
                    Math.round(redis.cli().ttl(key) / 3600.0));
        }
        return found;
    }

    private Joined join(RoomId room, String user, String name, @Nullable ListRequest list) {
        Username username = Username.parse(name).toOptional().orElseThrow();
        Holder holder = new Holder(new SocketId("n." + user.replace(':', '-')), 7);
        return (Joined) get(seats.join(
                new SeatStore.Join(new Seat(room, new UserId(user)), holder, Profile.named(username), 0, list, null)));
    }

    private static List<String> names(Joined joined) {
        return joined.view().orElseThrow().first().page().participants().stream()
                .map(Participant::username)
                .toList();
    }
}
