package io.hadir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** One user visits one new room after the other; Redis must not keep their keys. */
class AbandonedRoomsIT {
    private static final int ROOMS = 2_000;
    private static final int AT_ONCE = 50;
    private static final long MINUTE = Duration.ofMinutes(1).toMillis();
    private static final long HOUR = Duration.ofHours(1).toMillis();

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private final RedisCommands<String, String> redis = REDIS.cli();
    private ApiServer server;

    @BeforeEach
    void start() throws IOException {
        server = ApiServer.start(REDIS.url(), "--events-per-second=0", "--sweep-seconds=2");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void a53_keysOfRoomsThatWereJoinedAndLeftExpireWithinMinutes() {
        try (WireClient adi = user("adi")) {
            visit(adi, "first");
            int before = redis.keys("*").size();
            for (int i = 0; i < ROOMS; i++) {
                adi.emit("join_room", "{\"roomId\":\"new" + i + "\"}");
                adi.emit("leave_room", "{\"roomId\":\"new" + i + "\"}");
                if (i % AT_ONCE == 0) {
                    visit(adi, "first");
                }
            }
            visit(adi, "first");
            assertThat(adi.all("room:left")).hasSize(ROOMS);
            assertThat(adi.all("room:error")).isEmpty();
            await("the hints of occupied rooms go with a sweep")
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> redis.zcard("hadir:{rooms}:occupied") == 0);
            List<String> keys = redis.keys("*");
            assertThat(keys.stream().filter(key -> !key.contains(":new")).count())
                    .isLessThan(before + 50);
            List<Long> lives = keys.stream()
                    .filter(key -> key.contains(":new"))
                    .map(redis::pttl)
                    .sorted()
                    .toList();
            assertThat(lives).doesNotContain(-1L);
            assertThat(lives.get(lives.size() * 9 / 10)).isLessThanOrEqualTo(2 * MINUTE);
            assertThat(lives).as("even if a visit took some seconds").allMatch(life -> life < HOUR);
            // The log of recent changes has at most 1,000 lines, however many rooms there are.
            assertThat(keys).allSatisfy(key -> assertThat(size(key)).as(key).isLessThanOrEqualTo(1_000));
        }
    }

    /** How many members or fields a key has. */
    private long size(String key) {
        return switch (redis.type(key)) {
            case "zset" -> redis.zcard(key);
            case "set" -> redis.scard(key);
            case "hash" -> redis.hlen(key);
            default -> 1;
        };
    }

    @Test
    void a53_afterALongerStayHistoryAndRemovalsAreKeptLonger() {
        try (WireClient adi = user("adi")) {
            stay(adi, "short", 2 * MINUTE);
            assertThat(redis.pttl("hadir:room:short:history:adi")).isBetween(2 * HOUR, 4 * HOUR);
            assertThat(removals("short")).isBetween(2 * HOUR, 4 * HOUR);
            stay(adi, "short", HOUR);
            assertThat(removals("short")).isBetween(92 * HOUR, 95 * HOUR);
            visit(adi, "short");
            assertThat(removals("short")).isGreaterThan(92 * HOUR);

            stay(adi, "long", 48 * HOUR);
            assertThat(redis.pttl("hadir:room:long:history:adi")).isBetween(23 * HOUR, 24 * HOUR);
            assertThat(removals("long")).isBetween(90 * 23 * HOUR, 90 * 24 * HOUR);
        }
    }

    @Test
    void a53_anEmptyRoomKeepsItsRevisionUntilTheClockHasPassedIt() {
        try (WireClient adi = user("adi");
                WireClient budi = user("budi")) {
            String key = "hadir:room:busy:revision";
            join(budi, "busy");
            visit(adi, "busy");
            assertThat(redis.pttl(key)).as("while the room is occupied").isGreaterThan(HOUR);
            leave(budi, "busy");
            assertThat(redis.pttl(key)).isBetween(1L, MINUTE + 100);

            long ahead = System.currentTimeMillis() + HOUR;
            redis.set(key, Long.toString(ahead));
            visit(adi, "busy");
            assertThat(redis.pttl(key)).as("ahead of the clock").isBetween(HOUR, HOUR + 2 * MINUTE);
            assertThat(join(adi, "busy").path("revision").asLong()).isEqualTo(ahead + 3);
            assertThat(redis.pttl(key)).isGreaterThan(2 * HOUR);
        }
    }

    /** Joins and leaves a room as if the join had been this many milliseconds ago. */
    private void stay(WireClient client, String room, long ms) {
        String joinedAt = join(client, room).at("/participants/0/joinedAt").asString();
        String key = "room:" + room + ":user:adi";
        String details = redis.get(key).replace(joinedAt, Long.toString(Long.parseLong(joinedAt) - ms));
        redis.set(key, details, SetArgs.Builder.keepttl());
        leave(client, room);
    }

    /** How long the removals of a room are kept; they may be in the keys of two days. */
    private long removals(String room) {
        return redis.keys("hadir:room:" + room + ":removals:*").stream()
                .mapToLong(redis::pttl)
                .sum();
    }

    private WireClient user(String name) {
        return new WireClient(server.port(), "{\"userId\":\"" + name + "\"}");
    }

    private static void visit(WireClient client, String room) {
        join(client, room);
        leave(client, room);
    }

    private static JsonNode join(WireClient client, String room) {
        return ok(client.ask("join_room", "{\"roomId\":\"" + room + "\"}"));
    }

    private static void leave(WireClient client, String room) {
        ok(client.ask("leave_room", "{\"roomId\":\"" + room + "\"}"));
    }

    private static JsonNode ok(JsonNode answer) {
        assertThat(answer.path("ok").booleanValue()).as(answer.toString()).isTrue();
        return answer;
    }
}
