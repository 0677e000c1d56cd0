package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.OnApiServer;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The points of the charts, as the API answers them. */
class HistoryApiIT extends OnApiServer {
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;
    private static final String NOTHING = "\"usersOnline\":null,\"roomsOccupied\":null,\"sockets\":null,\"joins\":0,"
            + "\"leaves\":{},\"sweepMs\":null,\"redisMs\":null}";

    private JsonNode points(String query) {
        JsonNode history = api.get("/api/v1/stats/history" + query).json();
        assertThat(history.get("stepMs").asLong()).isEqualTo(MINUTE);
        return history.get("points");
    }

    @Test
    void everyMinuteHasOnePoint() {
        long hour = 480_000; // long ago, where nothing else writes
        redis.cli()
                .hset(
                        "hadir:{stats}:history:" + hour,
                        Map.of("59:joins", "5", "59:leaves:kicked", "2", "59:redis:micros", "1000"));
        redis.cli()
                .hset(
                        "hadir:{stats}:history:" + (hour + 1),
                        Map.of(
                                "1:users",
                                "3",
                                "1:redis:micros",
                                "1236",
                                "1:redis:commands",
                                "3",
                                "1:sweep:micros",
                                "15",
                                "1:leaves:unknown",
                                "1",
                                "61:joins",
                                "9",
                                "1:joins",
                                "x",
                                ":joins",
                                "1"));
        long at = (hour + 1) * HOUR;
        assertThat(points("?from=" + (at - 1) + "&to=" + (at + MINUTE + 1)).toString())
                .isEqualTo("[{\"at\":" + (at - MINUTE)
                        + ",\"usersOnline\":null,\"roomsOccupied\":null,\"sockets\":null,"
                        + "\"joins\":5,\"leaves\":{\"kicked\":2},\"sweepMs\":null,\"redisMs\":null},{\"at\":" + at + ","
                        + NOTHING + ",{\"at\":" + (at + MINUTE) + ",\"usersOnline\":3,\"roomsOccupied\":null,"
                        + "\"sockets\":null,\"joins\":0,\"leaves\":{},\"sweepMs\":0.015,\"redisMs\":0.412}]");
        assertThat(points("?from=" + at + "&to=" + (at + 24 * HOUR))).hasSize(24 * 60);
        assertThat(points("?to=" + at)).hasSize(180);
    }

    @Test
    void stepsOfFiveSecondsCoverFifteenMinutes() {
        long fiveMinutes = 5_000_000; // long ago, where nothing else writes
        redis.cli().hset("hadir:{stats}:history-5s:" + fiveMinutes, Map.of("59:users", "3", "59:joins", "2"));
        redis.cli().hset("hadir:{stats}:history-5s:" + (fiveMinutes + 1), Map.of("0:leaves:left", "1"));
        long at = (fiveMinutes + 1) * 5 * MINUTE;
        JsonNode history = api.get("/api/v1/stats/history?stepSeconds=5&from=" + (at - 5_000) + "&to=" + (at + 5_000))
                .json();
        assertThat(history.toString())
                .isEqualTo("{\"stepMs\":5000,\"points\":[{\"at\":" + (at - 5_000)
                        + ",\"usersOnline\":3,\"roomsOccupied\":null,\"sockets\":null,\"joins\":2,\"leaves\":{},"
                        + "\"sweepMs\":null,\"redisMs\":null},{\"at\":" + at
                        + ",\"usersOnline\":null,\"roomsOccupied\":null,\"sockets\":null,\"joins\":0,"
                        + "\"leaves\":{\"left\":1},\"sweepMs\":null,\"redisMs\":null}]}");
        assertThat(api.get("/api/v1/stats/history?stepSeconds=5").json().get("points"))
                .hasSizeBetween(180, 181);
        assertThat(points("?stepSeconds=60&to=" + at)).hasSize(180);
    }

    @Test
    void theDefaultIsTheLastThreeHoursUpToTheCurrentMinute() {
        await().untilAsserted(() -> {
            long before = now();
            JsonNode points = points("");
            assertThat(points.size()).isBetween(180, 181);
            long last = points.get(points.size() - 1).get("at").asLong();
            assertThat(last).isBetween(before - 2 * MINUTE, now());
            assertThat(points.get(0).get("at").asLong()).isEqualTo(last - (points.size() - 1) * MINUTE);
        });
    }

    private long now() {
        return Long.parseLong(redis.cli().time().get(0)) * 1_000;
    }
}
