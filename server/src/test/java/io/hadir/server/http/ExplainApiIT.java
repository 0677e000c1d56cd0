package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.testing.WireClient;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

@SuppressWarnings("try") // some clients only have to be present
class ExplainApiIT extends OnApiServer {
    ExplainApiIT() {
        super("--grace-seconds=2", "--lease-seconds=3");
    }

    @Test
    void aPresentUserIsExplainedWithSocketsAndServers() {
        try (WireClient one = join("adi", "lobby");
                WireClient other = join("adi", "lobby")) {
            // Redis was flushed before the test, so the server has no lease for a moment.
            await().until(() -> explain("adi")
                    .path("presence")
                    .path("sockets")
                    .path(0)
                    .path("nodeAlive")
                    .asBoolean(false));
            JsonNode why = explain("adi");
            assertThat(why.path("present").asBoolean()).isTrue();
            assertThat(why.path("listed").asBoolean()).isTrue();
            JsonNode presence = why.path("presence");
            assertThat(presence.path("socketId").asString())
                    .isEqualTo(redis.cli().get("room:presence:lobby:adi"));
            assertThat(presence.path("expiresAt").asLong()
                            - why.path("serverTime").asLong())
                    .isBetween(21_000_000L, 21_600_000L);
            assertThat(presence.path("joinedAt").asLong())
                    .isLessThanOrEqualTo(presence.path("lastActiveAt").asLong());
            assertThat(presence.path("inGrace").asBoolean()).isFalse();
            assertThat(presence.path("sockets")).hasSize(2).allSatisfy(socket -> {
                assertThat(socket.path("socketId").asString())
                        .startsWith(socket.path("nodeId").asString() + ".");
                assertThat(socket.path("nodeAlive").asBoolean()).isTrue();
            });
            assertThat(texts(why.path("history"), "what")).containsExactly("joined", "moved");
        }
    }

    @Test
    void theGracePeriodAndTheLeaveAfterItAreExplained() {
        WireClient adi = join("adi", "lobby");
        adi.close();
        await().until(() -> explain("adi").path("history").size() == 2);
        JsonNode why = explain("adi");
        if (why.path("present").asBoolean()) {
            assertThat(why.path("presence").path("inGrace").asBoolean()).isTrue();
            assertThat(why.path("presence").path("sockets")).isEmpty();
        }
        await().until(() -> !explain("adi").path("present").asBoolean());
        assertThat(explain("adi").path("presence").isNull()).isTrue();
    }

    @Test
    void aKickAndALeaveHaveDifferentReasons() {
        try (WireClient adi = join("adi", "lobby");
                WireClient budi = join("budi", "lobby")) {
            api.delete("/api/v1/rooms/lobby/participants/adi");
            budi.ask("leave_room", "{\"roomId\":\"lobby\"}");
            assertThat(texts(explain("adi").path("history"), "reason")).last().isEqualTo("kicked");
            assertThat(texts(explain("budi").path("history"), "reason")).last().isEqualTo("left");
        }
    }

    @Test
    void aUserWhoNeverJoinedIsExplainedAsAbsent() {
        JsonNode why = explain("nobody");
        assertThat(why.path("present").asBoolean()).isFalse();
        assertThat(why.path("listed").asBoolean()).isFalse();
        assertThat(why.path("history")).isEmpty();
    }

    @Test
    void a22_badIdsAreRefused() {
        assertThat(api.get("/api/v1/rooms/lobby/participants/%0A/explain").status())
                .isEqualTo(400);
        assertThat(api.get("/api/v1/rooms/presence/participants/adi/explain").status())
                .isEqualTo(400);
    }

    private JsonNode explain(String user) {
        ApiClient.Answer answer = api.get("/api/v1/rooms/lobby/participants/" + user + "/explain");
        assertThat(answer.status()).isEqualTo(200);
        return answer.json();
    }
}
