package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.testing.WireClient;
import java.time.Duration;
import java.util.stream.StreamSupport;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The points of the charts, as servers record them. */
class HistoryIT extends OnApiServer {
    HistoryIT() {
        super("--sweep-seconds=1");
    }

    private Iterable<JsonNode> points() {
        return api.get("/api/v1/stats/history").json().get("points");
    }

    /** Servers record every few seconds, and renew their leases no more often. */
    private static ConditionFactory eventually() {
        return await().atMost(Duration.ofSeconds(90)).pollInterval(Duration.ofMillis(500));
    }

    /** The sum over the last hours, because the minute may change while a test counts. */
    private long sum(String pointer) {
        return StreamSupport.stream(points().spliterator(), false)
                .mapToLong(point -> point.at(pointer).asLong(0))
                .sum();
    }

    private JsonNode latest(String field) {
        return StreamSupport.stream(points().spliterator(), false)
                .map(point -> point.get(field))
                .filter(value -> !value.isNull())
                .reduce((earlier, later) -> later)
                .orElseThrow(() -> new AssertionError("nobody wrote " + field + " down"));
    }

    @Test
    void everyServerRecordsItsCounts() throws Exception {
        try (ApiServer second = ApiServer.start(redis.url(), "--sweep-seconds=1");
                WireClient ana = join("ana", "r1");
                WireClient budi = new WireClient(second.port(), "{\"userId\":\"budi\"}");
                WireClient again = new WireClient(second.port(), "{\"userId\":\"budi\"}")) {
            budi.ask("join_room", "{\"roomId\":\"r1\"}");
            // Neither a second socket nor a repeated join adds a user.
            again.ask("join_room", "{\"roomId\":\"r1\"}");
            again.ask("join_room", "{\"roomId\":\"r1\"}");
            again.ask("join_room", "{\"roomId\":\"r2\"}");
            again.ask("leave_room", "{\"roomId\":\"r2\"}");
            eventually().untilAsserted(() -> {
                assertThat(latest("usersOnline").asLong()).isEqualTo(2);
                assertThat(latest("roomsOccupied").asLong()).isEqualTo(1);
                assertThat(latest("sockets").asLong()).isEqualTo(3);
                assertThat(latest("sweepMs").asDouble()).isPositive();
                assertThat(latest("redisMs").asDouble()).isPositive();
            });
            assertThat(ana.isDisconnected() || budi.isDisconnected()).isFalse();
            api.delete("/api/v1/rooms/r1/participants/budi");
            eventually().untilAsserted(() -> {
                assertThat(sum("/joins")).isEqualTo(3);
                assertThat(sum("/leaves/left")).isEqualTo(1);
                assertThat(sum("/leaves/kicked")).isEqualTo(1);
            });
        }
        assertThat(redis.cli().keys("hadir:{stats}:*"))
                .isNotEmpty()
                .allSatisfy(key -> assertThat(redis.cli().ttl(key)).as(key).isPositive());
    }

    @Test
    void aServerRecordsItsLastCountsWhenItStops() {
        // Tries another server if Redis did not answer in time.
        eventually().untilAsserted(() -> {
            try (ApiServer second = ApiServer.start(redis.url());
                    WireClient cici = new WireClient(second.port(), "{\"userId\":\"cici\"}")) {
                redis.cli().flushall();
                cici.ask("join_room", "{\"roomId\":\"r3\"}");
            }
            assertThat(sum("/joins")).isEqualTo(1);
        });
    }
}
