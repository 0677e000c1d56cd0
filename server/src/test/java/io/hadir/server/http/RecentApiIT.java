package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.testing.WireClient;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Recent changes and actions, and the largest rooms. */
class RecentApiIT extends OnApiServer {
    RecentApiIT() {
        super("--grace-seconds=4", "--sweep-seconds=1", "--ttl-seconds=600", "--events-per-second=0");
    }

    /** The changes as words, the earliest first. */
    private List<String> changes(String query) {
        List<String> words = new ArrayList<>();
        for (JsonNode change : api.get("/api/v1/changes" + query).json().get("changes")) {
            String who = change.path("userId").asString("") + " "
                    + change.path("roomId").asString("");
            words.add(
                    0,
                    change.get("what").asString() + " " + who + " "
                            + change.path("reason").asString(""));
        }
        return words;
    }

    @Test
    void everyJoinAndLeaveIsAChangeOnceWhicheverNodeMadeIt() throws Exception {
        try (ApiServer second = ApiServer.start(redis.url(), "--grace-seconds=1", "--sweep-seconds=1");
                WireClient ana = join("ana", "odd room/1")) {
            String here = "?roomId=odd%20room%2F1";
            try (WireClient budi = new WireClient(second.port(), "{\"userId\":\"budi\"}")) {
                budi.ask("join_room", "{\"roomId\":\"odd room/1\"}");
                budi.ask("join_room", "{\"roomId\":\"odd room/1\"}");
                await().untilAsserted(() -> assertThat(changes(here))
                        .containsExactlyInAnyOrder("joined ana odd room/1 ", "joined budi odd room/1 "));
            }
            await().untilAsserted(
                            () -> assertThat(changes(here)).hasSize(3).endsWith("left budi odd room/1 disconnected"));
            ana.ask("leave_room", "{\"roomId\":\"odd room/1\"}");
            ana.ask("join_room", "{\"roomId\":\"next\"}");
            api.send("DELETE", "/api/v1/rooms/next/participants/ana", null);
            await().untilAsserted(() -> assertThat(changes("?limit=3"))
                    .containsExactly("left ana odd room/1 left", "joined ana next ", "left ana next kicked"));
            assertThat(changes(here)).hasSize(4);
            assertThat(changes("?roomId=next&limit=1")).containsExactly("left ana next kicked");
        }
    }

    @Test
    void aUserWhoseKeyIsGoneIsAChangeToo() {
        try (WireClient ana = join("ana", "lost")) {
            redis.cli().del("room:presence:lost:ana");
            await().untilAsserted(() -> assertThat(changes("")).contains("left ana lost presence_lost"));
            assertThat(ana).isNotNull();
        }
    }

    @Test
    void aBusySecondIsCutShortAndSaysSo() {
        try (WireClient ana = join("ana", "busy")) {
            for (int i = 0; i < 300; i++) {
                ana.emit("leave_room", "{\"roomId\":\"busy\"}");
                ana.emit("join_room", "{\"roomId\":\"busy\"}");
            }
            ana.ask("leave_room", "{\"roomId\":\"busy\"}");
            // Joins, leaves and what was left out are all changes that were made.
            await().untilAsserted(() -> {
                long told = 0;
                for (JsonNode change :
                        api.get("/api/v1/changes?limit=1000").json().get("changes")) {
                    boolean here = change.path("roomId").asString("busy").equals("busy");
                    told += here ? change.path("count").asLong(1) : 0;
                }
                assertThat(told).isEqualTo(602);
            });
        }
        assertThat(redis.cli().zcard("hadir:{stats}:changes")).isLessThanOrEqualTo(1_000);
        assertThat(redis.cli().ttl("hadir:{stats}:changes")).isBetween(1L, 3_600L);
    }

    @Test
    void actionsNameTheKeyAndTheCaller() {
        api.put("/api/v1/rooms/r/settings", "{\"ttlSeconds\":900}");
        api.post("/api/v1/audit", "{\"repair\":true}");
        api.post("/api/v1/audit", "{\"repair\":false}");
        api.send("DELETE", "/api/v1/rooms/r/participants/nobody", null);
        await().untilAsserted(() -> {
            JsonNode actions = api.get("/api/v1/actions").json().get("actions");
            assertThat(texts(actions, "what"))
                    .as("what failed or changed nothing is no action")
                    .containsExactly("Started an audit that repairs", "Changed the settings of room r");
            assertThat(texts(actions, "key")).containsOnly("api-key");
            assertThat(texts(actions, "address")).containsOnly("127.0.0.1");
        });
        assertThat(api.get("/api/v1/actions?limit=1").json().get("actions")).hasSize(1);
        assertThat(redis.cli().ttl("hadir:{stats}:actions")).isPositive();
    }

    @Test
    void roomsComeByTheirCountedSize() {
        try (WireClient ana = join("ana", "small");
                WireClient budi = join("budi", "large");
                WireClient citra = join("citra", "large")) {
            ana.ask("join_room", "{\"roomId\":\"hinted\"}");
            citra.ask("join_room", "{\"roomId\":\"large-too\"}");
            budi.ask("join_room", "{\"roomId\":\"large-too\"}");
            // Hints are no proof: this room has more of them than people.
            redis.cli().zadd("hadir:room:hinted:index", 1, "x");
            await().untilAsserted(() -> assertThat(texts(
                            api.get("/api/v1/rooms?sort=size&limit=4").json().get("rooms"), "roomId"))
                    .containsExactly("large", "large-too", "hinted", "small"));
            assertThat(api.get("/api/v1/rooms?sort=size&search=LARGE&limit=1")
                            .json()
                            .toString())
                    .isEqualTo("{\"rooms\":[{\"roomId\":\"large\",\"viewerCount\":2}],\"nextCursor\":null}");
        }
    }

    @Test
    void detailsSayWhoIsReconnecting() {
        join("budi", "r").close();
        await().untilAsserted(() -> {
            JsonNode budi =
                    api.get("/api/v1/rooms/r/participants?details=true").json().at("/participants/0");
            assertThat(budi.path("inGrace").asBoolean(false)).isTrue();
            assertThat(budi.path("held").asBoolean(true)).isFalse();
            assertThat(budi.path("ttlMs").asLong(0)).isBetween(1L, 4_000L);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "changes?limit=0",
                "changes?limit=1001",
                "changes?roomId=..",
                "changes?roomId=a&roomId=b",
                "actions?limit=x",
                "rooms?sort=name",
                "rooms?sort=",
                "rooms?sort=size&cursor=cg",
                "stats/history?stepSeconds=10",
                "stats/history?stepSeconds=5&from=1&to=900002",
                "stats/history?stepSeconds=5&stepSeconds=5"
            })
    void a46_badQueriesAre400(String call) {
        assertThat(api.get("/api/v1/" + call).status()).isEqualTo(400);
    }
}
