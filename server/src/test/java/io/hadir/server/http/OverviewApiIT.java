package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.testing.WireClient;
import io.lettuce.core.SetArgs;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Statistics, servers, health, and rules for every call. */
class OverviewApiIT extends OnApiServer {
    private static final long HOUR = 3_600_000;

    OverviewApiIT() {
        // No sweeps: tests rely on stale entries in the list of rooms.
        super("--sweep-seconds=3600");
    }

    @Test
    void removalsAreCountedByHourAndDay() {
        long day = 20_000; // long ago, where nothing else is counted
        redis.cli()
                .hset("hadir:{stats}:removals:" + day, Map.of("0:left", "3", "0:kicked", "1", "1:left", "2", "x", "y"));
        redis.cli().hset("hadir:{stats}:removals:" + (day - 1), Map.of("23:server_gone", "4", "99:unknown", "5"));
        long midnight = day * 24 * HOUR;

        JsonNode hours = api.get("/api/v1/stats/removals?from=" + (midnight - 1) + "&to=" + (midnight + HOUR + 1))
                .json();
        assertThat(hours.toString())
                .isEqualTo("{\"buckets\":[{\"at\":" + (midnight - HOUR) + ",\"counts\":{\"server_gone\":4}},{\"at\":"
                        + midnight + ",\"counts\":{\"left\":3,\"kicked\":1}},{\"at\":" + (midnight + HOUR)
                        + ",\"counts\":{\"left\":2}}],\"totals\":{\"left\":5,\"kicked\":1,\"server_gone\":4}}");
        JsonNode days = api.get(
                        "/api/v1/stats/removals?bucket=day&from=" + (midnight - 24 * HOUR) + "&to=" + (midnight + HOUR))
                .json();
        assertThat(days.get("buckets")).hasSize(2);
        assertThat(days.at("/buckets/1/counts").toString()).isEqualTo("{\"left\":5,\"kicked\":1}");
        assertThat(api.get("/api/v1/stats/removals").json().get("buckets")).hasSizeBetween(24, 25);
        assertThat(api.get("/api/v1/stats/removals?from=0&to=" + 90 * 24 * HOUR)
                        .json()
                        .get("buckets"))
                .hasSize(90 * 24);
    }

    @Test
    void removalsOfOneRoomAreCountedAtOnce() {
        try (WireClient ana = join("ana", "r")) {
            ana.ask("leave_room", "{\"roomId\":\"r\"}");
            assertThat(api.get("/api/v1/stats/removals?roomId=r")
                            .json()
                            .get("totals")
                            .toString())
                    .isEqualTo("{\"left\":1}");
            assertThat(api.get("/api/v1/stats/removals?roomId=other&bucket=day")
                            .json()
                            .get("totals")
                            .toString())
                    .isEqualTo("{}");
            await().untilAsserted(() -> assertThat(api.get("/api/v1/stats/removals")
                            .json()
                            .at("/totals/left")
                            .asInt(0))
                    .isPositive());
        }
    }

    @Test
    void theRemovalOfAUserWhosePresenceWasGoneIsCounted() {
        try (WireClient gita = join("gita", "lost")) {
            int before = lost();
            redis.cli().del("room:presence:lost:gita");
            api.delete("/api/v1/rooms/lost/participants/gita");
            await().untilAsserted(() -> assertThat(lost()).isEqualTo(before + 1));
            await().until(gita::isDisconnected);
        }
    }

    private int lost() {
        return api.get("/api/v1/stats/removals")
                .json()
                .at("/totals/presence_lost")
                .asInt(0);
    }

    @Test
    void statsCountUsersAndRooms() {
        try (WireClient hana = join("hana", "r1");
                WireClient indra = join("indra", "r1")) {
            hana.ask("join_room", "{\"roomId\":\"r2\"}");
            await().untilAsserted(
                            () -> assertThat(api.get("/api/v1/stats").json().toString())
                                    .isEqualTo("{\"usersOnline\":2,\"roomsOccupied\":2}"));
            assertThat(indra.isDisconnected()).isFalse();
        }
    }

    @Test
    void nodesAreListedWithTheirDetails() throws Exception {
        try (ApiServer second = ApiServer.start(redis.url())) {
            assertThat(second.port()).isNotEqualTo(server.port());
            await().untilAsserted(() -> {
                JsonNode nodes = api.get("/api/v1/nodes").json().get("nodes");
                assertThat(nodes).hasSize(2);
                assertThat(texts(nodes, "nodeId")).isSorted().doesNotHaveDuplicates();
                assertThat(texts(nodes, "version")).containsOnly("1.2.3-test");
                assertThat(nodes)
                        .allSatisfy(
                                node -> assertThat(node.get("leaseMs").asLong()).isBetween(1L, 15_000L));
            });
        }
        redis.cli().sadd("hadir:{nodes}:known", "odd", "dead");
        redis.cli().set("hadir:{nodes}:lease:odd", "not json", SetArgs.Builder.ex(60));
        assertThat(texts(api.get("/api/v1/nodes").json().get("nodes"), "nodeId"))
                .contains("odd")
                .doesNotContain("dead");
    }

    @Test
    void leasesWithoutATtlHaveNoDuration() {
        redis.cli().sadd("hadir:{nodes}:known", "odd", "endless", "list");
        redis.cli().set("hadir:{nodes}:lease:odd", "{}", SetArgs.Builder.ex(60));
        redis.cli().set("hadir:{nodes}:lease:endless", "{}");
        redis.cli().rpush("hadir:{nodes}:lease:list", "a");
        Map<String, String> left = new HashMap<>();
        for (JsonNode node : api.get("/api/v1/nodes").json().get("nodes")) {
            left.put(node.get("nodeId").asString(), node.get("leaseMs").toString());
        }
        assertThat(left)
                .containsEntry("endless", "null")
                .containsEntry("list", "null")
                .hasEntrySatisfying(
                        "odd", lease -> assertThat(Long.parseLong(lease)).isBetween(1L, 60_000L));
    }

    @Test
    void theStateOfRedisIsShown() {
        JsonNode well = api.get("/api/v1/redis").json();
        assertThat(well.get("connected").asBoolean()).isTrue();
        assertThat(well.get("mode").asString()).isEqualTo("standalone");
        assertThat(well.get("version").asString()).matches("\\d+\\.\\d+\\.\\d+");
        assertThat(well.get("evicting").asBoolean()).isFalse();
        assertThat(well.get("usedMemoryBytes").asLong()).isPositive();
        assertThat(well.get("latencyMs").asDouble()).isPositive();
        redis.cli().configSet("maxmemory-policy", "allkeys-lru");
        redis.cli().configSet("maxmemory", "1gb");
        try {
            JsonNode evicting = api.get("/api/v1/redis").json();
            assertThat(evicting.get("evicting").asBoolean()).isTrue();
            assertThat(evicting.get("maxMemoryBytes").asLong()).isEqualTo(1L << 30);
        } finally {
            redis.cli().configSet("maxmemory", "0");
            redis.cli().configSet("maxmemory-policy", "noeviction");
        }
        assertThat(api.get("/api/v1/redis").json().get("maxMemoryBytes").isNull())
                .isTrue();
    }

    @Test
    void anUnexpectedBodyIsIgnored() throws Exception {
        assertThat(api.send("GET", "/api/v1/rooms", "{}").json().get("rooms")).isEmpty();
        assertThat(api.send("DELETE", "/api/v1/rooms/r/settings", "{\"a\":1}").status())
                .isEqualTo(200);
    }

    @Test
    void f49_aServerThatNeverFetchedTokenKeysIsNotReady() throws Exception {
        try (ApiServer keyless = ApiServer.start(redis.url(), "--jwks-url=http://127.0.0.1:1/jwks")) {
            ApiClient asked = new ApiClient(keyless.url(), "X-API-Key", ApiServer.KEY);
            await().untilAsserted(() -> {
                Answer answer = asked.get("/readyz");
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.json().at("/error/message").asString())
                        .isEqualTo("There are no keys from the JWKS URL to check tokens with: nothing listens there");
            });
        }
    }

    @Test
    void strangersLearnOnlyWhetherItIsReadyAndCallersWithAKeyLearnWhyNot() throws Exception {
        assertThat(api.get("/readyz").json().has("lastSweep")).isTrue();
        assertThat(new ApiClient(server.url()).get("/readyz").response().body()).isEqualTo("{\"ready\":true}");

        String unready = "--jwks-url=http://127.0.0.1:1/jwks";
        try (ApiServer keyed = ApiServer.start(redis.url(), unready)) {
            String[] withKey = {"Authorization", "Bearer " + ApiServer.KEY};
            assertThat(readiness(keyed, withKey)).contains("JWKS URL");
            for (String[] headers : new String[][] {{}, {"X-API-Key", ApiServer.KEY + "x"}, {"Via", "1.1 proxy"}}) {
                assertThat(readiness(keyed, headers))
                        .isEqualTo("{\"error\":{\"code\":\"not_ready\",\"message\":\"This server is not ready.\"}}");
            }
        }
        // Without a configured key, programs on the same machine learn it, but not callers through a proxy there.
        try (ApiServer keyless = ApiServer.startKeyless(redis.url(), unready)) {
            assertThat(readiness(keyless)).contains("JWKS URL");
            assertThat(readiness(keyless, "X-Forwarded-For", "192.0.2.1")).doesNotContain("JWKS URL");
        }
    }

    private static String readiness(ApiServer asked, String... headers) {
        Answer answer = new ApiClient(asked.url(), headers).get("/readyz");
        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        return answer.response().body();
    }

    @Test
    void headIsGetWithoutABodyAndOtherMethodsAre405() throws Exception {
        Answer put = api.put("/api/v1/rooms", "{}");
        assertThat(put.status()).isEqualTo(405);
        assertThat(put.header("Allow")).isEqualTo("GET, HEAD");
        assertThat(api.send("PATCH", "/api/v1/rooms/r/settings", "{}").header("Allow"))
                .isEqualTo("DELETE, GET, HEAD, PUT");
        assertThat(api.post("/api/v1/users/ana", "{}").header("Allow")).isEqualTo("GET, HEAD");
        assertThat(api.send("OPTIONS", "/api/v1/rooms", null).status()).isEqualTo(405);
        assertThat(api.get("/api/v1/nothing").status()).isEqualTo(404);
        assertThat(api.get("/api/v1/rooms/r/").status()).isEqualTo(404);
    }
}
