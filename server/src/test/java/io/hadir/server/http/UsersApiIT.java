package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.testing.WireClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Users, messages and unread counters. */
class UsersApiIT extends OnApiServer {
    UsersApiIT() {
        // No sweeps: tests rely on stale entries in the list of rooms.
        super("--sweep-seconds=3600");
    }

    @Test
    void usersAreOnlineAndLookAtRooms() {
        assertThat(api.get("/api/v1/users/dian").json().toString())
                .isEqualTo("{\"userId\":\"dian\",\"online\":false,\"activeRoom\":null,\"lastSeen\":null,\"rooms\":[]}");
        try (WireClient dian = join("dian", "r1");
                WireClient budi = join("status", "r2")) {
            dian.ask("join_room", "{\"roomId\":\"r0\"}");
            JsonNode user = api.get("/api/v1/users/dian").json();
            assertThat(user.get("online").asBoolean()).isTrue();
            assertThat(user.get("activeRoom").asString()).isEqualTo("r0");
            assertThat(user.get("lastSeen").asLong()).isPositive();
            assertThat(texts(user.get("rooms"), "")).containsExactly("r0", "r1");
            assertThat(api.get("/api/v1/users/status").json().get("userId").asString())
                    .isEqualTo("status");
            assertThat(budi.isDisconnected()).isFalse();

            JsonNode several = api.post("/api/v1/users/status", "{\"userIds\":[\"nobody\",\"dian\",15,\"dian\"]}")
                    .json()
                    .get("users");
            assertThat(texts(several, "userId")).containsExactly("nobody", "dian", "15", "dian");
            assertThat(several.get(1).get("online").asBoolean()).isTrue();
            assertThat(several.get(1).has("rooms")).isFalse();
        }
    }

    @Test
    void messagesAreCountedForRecipientsWhoDoNotLookAtTheRoom() {
        try (WireClient eka = join("eka", "r");
                WireClient fitri = join("fitri", "elsewhere")) {
            JsonNode results = api.post(
                            "/api/v1/rooms/r/messages",
                            "{\"senderId\":\"eka\",\"recipients\":[\"eka\",\"fitri\",\"gita\"],\"data\":{\"t\":[1,null]}}")
                    .json()
                    .get("results");
            assertThat(results.toString())
                    .isEqualTo("[{\"userId\":\"fitri\",\"unread\":1,\"online\":true,\"shouldNotify\":true},"
                            + "{\"userId\":\"gita\",\"unread\":1,\"online\":false,\"shouldNotify\":true}]");
            assertThat(fitri.heard("notification").get("data").toString()).isEqualTo("{\"t\":[1,null]}");
            assertThat(api.post("/api/v1/rooms/r/messages", "{\"senderId\":\"fitri\",\"recipients\":[\"eka\"]}")
                            .json()
                            .toString())
                    .isEqualTo(
                            "{\"results\":[{\"userId\":\"eka\",\"unread\":0,\"online\":true,\"shouldNotify\":false}]}");
            assertThat(eka.isDisconnected()).isFalse();
        }
        api.post("/api/v1/rooms/r2/messages", "{\"senderId\":1,\"recipients\":[\"gita\"]}");
        assertThat(api.get("/api/v1/users/gita/unread").json().toString())
                .isEqualTo("{\"unread\":{\"r\":1,\"r2\":1},\"total\":2}");
        assertThat(api.delete("/api/v1/rooms/r/unread/gita").json().toString())
                .isEqualTo("{\"roomId\":\"r\",\"userId\":\"gita\",\"unread\":0}");
        assertThat(api.get("/api/v1/users/gita/unread").json().toString())
                .isEqualTo("{\"unread\":{\"r2\":1},\"total\":1}");
        assertThat(api.delete("/api/v1/rooms/never/unread/gita").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "senderId {\"recipients\":[]}",
                "senderId {\"senderId\":null,\"recipients\":[]}",
                "senderId {\"senderId\":\"a  b\",\"recipients\":[]}",
                "senderId {\"senderId\":1.5,\"recipients\":[]}",
                "recipients {\"senderId\":\"a\"}",
                "recipients {\"senderId\":\"a\",\"recipients\":\"b\"}",
                "recipients {\"senderId\":\"a\",\"recipients\":{}}",
                "recipients {\"senderId\":\"a\",\"recipients\":[\"b\",null]}",
                "recipients {\"senderId\":\"a\",\"recipients\":[\"b\",[]]}",
                "recipients {\"senderId\":\"a\",\"recipients\":[\"b\",\"..\"]}",
                "data {\"senderId\":\"a\",\"recipients\":[\"b\"],\"data\":1e999}",
                "data {\"senderId\":\"a\",\"recipients\":[\"b\"],\"data\":{\"x\":[0,-1e999]}}",
                "payload []",
                "payload 5",
                "payload null",
                "payload \"text\""
            })
    void a21_malformedMessagesAreRefused(String given) {
        int space = given.indexOf(' ');
        Answer answer = api.post("/api/v1/rooms/r/messages", given.substring(space + 1));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.field()).isEqualTo(given.substring(0, space));
        assertThat(redis.cli().keys("room:r:*")).isEmpty();
    }

    @Test
    void listsInBodiesAreLimited() {
        String most = "\"u\",".repeat(9_999) + "\"u\"";
        assertThat(api.post("/api/v1/rooms/r/messages", "{\"senderId\":\"a\",\"recipients\":[" + most + "]}")
                        .json()
                        .get("results"))
                .hasSize(1);
        assertThat(api.post("/api/v1/rooms/r/messages", "{\"senderId\":\"a\",\"recipients\":[" + most + ",\"u\"]}")
                        .field())
                .isEqualTo("recipients");
        String thousand = "\"u\",".repeat(999) + "\"u\"";
        assertThat(api.post("/api/v1/users/status", "{\"userIds\":[" + thousand + "]}")
                        .json()
                        .get("users"))
                .hasSize(1000);
        assertThat(api.post("/api/v1/users/status", "{\"userIds\":[" + thousand + ",\"u\"]}")
                        .field())
                .isEqualTo("userIds");
        String data = "\"" + "x".repeat(4094) + "\"";
        assertThat(api.post("/api/v1/rooms/r/messages", "{\"senderId\":\"a\",\"recipients\":[],\"data\":" + data + "}")
                        .status())
                .isEqualTo(200);
        assertThat(api.post(
                                "/api/v1/rooms/r/messages",
                                "{\"senderId\":\"a\",\"recipients\":[],\"data\":[" + data + "]}")
                        .field())
                .isEqualTo("data");
    }
}
