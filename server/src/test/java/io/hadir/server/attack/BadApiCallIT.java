package io.hadir.server.attack;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** Calls of the HTTP API with bad ids, texts, numbers or JSON. */
@ExtendWith(NoLeaks.class)
class BadApiCallIT extends OnApiServer {
    private static final String STATUS = "/api/v1/users/status";
    private static final String SETTINGS = "/api/v1/rooms/r/settings";

    /** The keys that calls write; the node's own keys are not among them. */
    private static final List<String> WRITTEN =
            List.of("room:*", "user:*", "hadir:room:*", "hadir:user:*", "hadir:{rooms}:*");

    private void assertNothingWritten() {
        assertThat(WRITTEN)
                .allSatisfy(pattern -> assertThat(redis.cli().keys(pattern)).isEmpty());
    }

    static Stream<String> badIds() {
        return Stream.of(
                "a\r\nSET x y",
                "a\nb",
                "\u0000",
                "a\u0000",
                " a",
                "a ",
                "a  b",
                "a\tb",
                "x".repeat(129),
                "\u5ba2".repeat(129),
                "\ud83d\ude00".repeat(97),
                ".",
                "..",
                "...",
                "ana\u200b",
                "\ud83d\udc69\u200d\ud83d\ude80", // joined by a format character
                "a\u202eb",
                "a\u2028b",
                "a\u00a0b",
                "\ue000",
                "\u0378");
    }

    @ParameterizedTest
    @MethodSource("badIds")
    void a22_a24_idsInPathsAreChecked(String id) {
        String segment = URLEncoder.encode(id, StandardCharsets.UTF_8).replace("+", "%20");
        for (Answer answer : List.of(
                api.get("/api/v1/rooms/" + segment),
                api.get("/api/v1/rooms/" + segment + "/participants"),
                api.get("/api/v1/rooms/" + segment + "/participants?source=scan"),
                api.put("/api/v1/rooms/" + segment + "/settings", "{\"maxParticipants\":1}"),
                api.delete("/api/v1/rooms/" + segment + "/settings"),
                api.post("/api/v1/rooms/" + segment + "/messages", "{\"senderId\":1,\"recipients\":[2]}"),
                api.delete("/api/v1/rooms/" + segment + "/participants/u"),
                api.delete("/api/v1/rooms/" + segment + "/unread/u"),
                api.get("/api/v1/stats/removals?roomId=" + segment))) {
            assertRefused(answer, "roomId");
        }
        for (Answer answer : List.of(
                api.get("/api/v1/users/" + segment),
                api.get("/api/v1/users/" + segment + "/unread"),
                api.delete("/api/v1/rooms/r/participants/" + segment),
                api.delete("/api/v1/rooms/r/unread/" + segment))) {
            assertRefused(answer, "userId");
        }
        assertNothingWritten();
    }

    @ParameterizedTest
    @MethodSource("badIds")
    void a22_a24_idsInBodiesAreChecked(String id) {
        String text = JsonMapper.shared().writeValueAsString(id);
        assertRefused(
                api.post("/api/v1/rooms/r/messages", "{\"senderId\":" + text + ",\"recipients\":[\"a\"]}"), "senderId");
        assertRefused(
                api.post("/api/v1/rooms/r/messages", "{\"senderId\":\"a\",\"recipients\":[\"b\"," + text + "]}"),
                "recipients");
        assertRefused(api.post(STATUS, "{\"userIds\":[" + text + "]}"), "userIds");
        assertNothingWritten();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/rooms/%FF",
                "/api/v1/rooms/%C0%AE",
                "/api/v1/rooms/%ED%A0%80",
                "/api/v1/rooms/%F4%90%80%80",
                "/api/v1/rooms/a%C3",
                "/api/v1/users/\u00e4",
                "/api/v1/stats/removals?roomId=%FF"
            })
    void a22_aPathThatIsNotUtf8IsRefused(String path) throws Exception {
        try (RawConnection client = connect()) {
            assertThat(client.get(path, AUTHORIZED).response().status()).isEqualTo(400);
        }
    }

    @Test
    void a22_theReservedRoomAndTheEmptyIdAreRefused() {
        assertRefused(api.get("/api/v1/rooms/presence"), "roomId");
        assertRefused(api.get("/api/v1/rooms//participants"), "roomId");
        assertRefused(api.get("/api/v1/users//unread"), "userId");
        assertRefused(api.get("/api/v1/rooms/" + "x".repeat(5_000)), "roomId");
    }

    private static void assertRefused(Answer answer, String field) {
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("invalid_argument");
        assertThat(answer.field()).isEqualTo(field);
    }

    @Test
    void a24_luaInTextsIsText() {
        String lua = "']] redis.call('FLUSHALL') return {err='x'} --[[ \\\" $1 %s {0} <b>";
        api.put(SETTINGS, "{\"inactivityMessage\":\"" + lua + "\"}");
        assertThat(redis.cli().hget("hadir:room:r:settings", "inactivityMessage"))
                .isEqualTo(lua.replace("\\\"", "\""));
        assertThat(api.get(SETTINGS).json().get("inactivityMessage").asString()).isEqualTo(lua.replace("\\\"", "\""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=-1",
                "limit=0",
                "limit=1001",
                "limit=1e2",
                "limit=",
                "limit=ten",
                "limit=5&limit=6",
                "limit=5&limit=5",
                "limit=99999999999999999999",
                "limit=%31%00",
                "limit=+5",
                "limit=٣",
                "cursor=",
                "cursor=garbage",
                "cursor=!!!!",
                "cursor=cm9vbTo",
                "cursor=cm9vbTpwcmVzZW5jZQ",
                "cursor=cm9vbTphIGI",
                "cursor=a&cursor=b",
                "cursor=MTc5NDc4NzIwMDAwMTo",
                "cursor=OTk5OTk5OTk5OTk5OTk5OTk5OTk6YW5h"
            })
    void a46_badLimitsAndCursorsAre400(String query) {
        for (String path : List.of("/api/v1/rooms", "/api/v1/rooms/r/participants")) {
            Answer answer = api.get(path + "?" + query.replace("٣", "%D9%A3"));
            assertThat(answer.status()).as(path).isEqualTo(400);
            assertThat(answer.field()).isEqualTo(query.substring(0, query.indexOf('=')));
        }
    }

    @Test
    void a46_aCursorOfAnotherListIsRefused() {
        assertThat(api.get("/api/v1/rooms?cursor=MTc5NDc4NzIwMDAwMTphbmE").status())
                .isEqualTo(400);
        assertThat(api.get("/api/v1/rooms/r/participants?cursor=cm9vbTphbmE").status())
                .isEqualTo(400);
        assertThat(api.get("/api/v1/rooms?unknown=1&unknown=2").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "from=-1",
                "from=x",
                "from=1.5",
                "from=1&from=2",
                "to=9999999999999999",
                "to=-5",
                "bucket=minute",
                "bucket=",
                "bucket=HOUR",
                "from=5&to=5",
                "from=6&to=5",
                "from=0&to=7776000001",
                "from=999999999999999",
                "to=",
                "roomId=",
                "roomId=a&roomId=b"
            })
    void a46_badTimesAre400(String query) {
        assertThat(api.get("/api/v1/stats/removals?" + query).status()).isEqualTo(400);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "from=-1",
                "from=x",
                "from=1.5",
                "from=1&from=2",
                "from=5&to=5",
                "from=6&to=5",
                "from=0&to=86400001",
                "from=0",
                "from=999999999999999"
            })
    void a46_badTimesOfTheHistoryAre400(String query) {
        assertRefused(api.get("/api/v1/stats/history?" + query), "from");
        assertRefused(api.get("/api/v1/stats/history?to=9999999999999999"), "to");
    }

    @ParameterizedTest
    @ValueSource(strings = {"source=", "source=SCAN", "source=index", "source=scan&source=scan"})
    void a46_badSourcesAre400(String query) {
        assertThat(api.get("/api/v1/rooms/r/participants?" + query).field()).isEqualTo("source");
    }

    @ParameterizedTest
    @ValueSource(strings = {"details=", "details=1", "details=TRUE", "details=true&details=true"})
    void a46_badDetailsAre400(String query) {
        assertRefused(api.get("/api/v1/rooms/r/participants?" + query), "details");
        assertRefused(api.get("/api/v1/rooms/r/participants?source=scan&" + query), "details");
    }

    @Test
    void a46_badSearchesAre400() {
        for (String text : List.of("", "x".repeat(129), "%F0%9F%98%80".repeat(129), "a&search=a")) {
            assertRefused(api.get("/api/v1/rooms?search=" + text), "search");
        }
        for (String text : List.of("%00", "]]--", "%F0%9F%98%80".repeat(128), "a%20b", "(")) {
            assertThat(api.get("/api/v1/rooms?search=" + text).json().toString())
                    .isEqualTo("{\"rooms\":[],\"nextCursor\":null}");
        }
    }

    @Test
    void a46_aKickWithABadMessageKicksNobody() {
        for (String message : List.of("", "%20", "a%0Ab", "%00", "x".repeat(501), "a&message=b", "%1b%5B31m")) {
            Answer answer = api.delete("/api/v1/rooms/r/participants/u?message=" + message);
            assertThat(answer.status()).as(message).isEqualTo(400);
            assertThat(answer.field()).isEqualTo("message");
        }
        assertThat(api.delete("/api/v1/rooms/r/participants/u?message=" + "%F0%9F%98%80".repeat(500))
                        .status())
                .isEqualTo(404);
    }

    static Stream<String> bombs() {
        return Stream.of(
                "",
                " ",
                "{",
                "{}{}",
                "{\"userIds\":[]} x",
                "{'userIds':[]}",
                "{userIds:[]}",
                "NaN",
                "{\"userIds\":[],}",
                "{\"userIds\":[],\"userIds\":[]}",
                "{\"userIds\":[],\"x\":{\"a\":1,\"a\":2}}",
                "{\"userIds\":[],\"x\":" + "[".repeat(70) + "]".repeat(70) + "}",
                "{\"userIds\":[],\"x\":" + "[".repeat(500_000),
                "{\"userIds\":[],\"x\":" + "9".repeat(1_000) + "}",
                "{\"userIds\":[],\"x\":1e999999999999999999999999999999999999999999999999999999999999999999}",
                "{\"userIds\":[],\"" + "k".repeat(2_000) + "\":1}",
                "{\"userIds\":[],\"x\":\"\\ud800\"}",
                "{\"userIds\":[],\"\\udc00\":1}",
                "{\"userIds\":[],\"x\":\"\\x\"}",
                "\ufeff{\"userIds\":[]}",
                "{\"userIds\":[],\"x\":\"a\u0001b\"}");
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void a20_badJsonIs400AndTheConnectionStaysOpen(String body) throws Exception {
        try (RawConnection client = connect()) {
            Response response = client.post(STATUS, body, AUTHORIZED, JSON).response();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).startsWith("{\"error\":{\"code\":\"invalid_argument\"");
            assertThat(client.get("/healthz").response().status()).isEqualTo(200);
        }
    }

    @Test
    void a20_bytesThatAreNotUtf8Are400() throws Exception {
        try (RawConnection client = connect()) {
            byte[] start = "{\"userIds\":[\"".getBytes(StandardCharsets.UTF_8);
            client.send("POST " + STATUS + " HTTP/1.1\r\nHost: x\r\n" + AUTHORIZED + "\r\n" + JSON
                            + "\r\nContent-Length: " + (start.length + 5) + "\r\n\r\n")
                    .send(start)
                    .send(new byte[] {(byte) 0xff, (byte) 0xc0, '"', ']', '}'});
            assertThat(client.response().status()).isEqualTo(400);
        }
    }

    @Test
    void a20_thousandsOfUnknownFieldsAreIgnored() {
        StringBuilder body = new StringBuilder("{\"userIds\":[\"a\"]");
        for (int i = 0; i < 20_000; i++) {
            body.append(",\"__proto__").append(i).append("\":").append(i);
        }
        assertThat(api.post(STATUS, body + "}").status()).isEqualTo(200);
    }
}
