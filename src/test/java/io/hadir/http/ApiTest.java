package io.hadir.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.ApiServer;
import io.hadir.redis.TestRedis;
import io.hadir.socketio.WireClient;
import io.hadir.support.ApiClient;
import io.hadir.support.ApiClient.Answer;
import io.lettuce.core.SetArgs;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Every call of the API on a whole server, with clients on real sockets. */
class ApiTest {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final long HOUR = 3_600_000;

    private static ApiServer server;
    private static ApiClient api;

    @BeforeAll
    static void start() throws Exception {
        // No sweep of its own: what a test leaves on the list of rooms stays there.
        server = ApiServer.start(REDIS.url(), "--sweep-seconds=3600");
        api = new ApiClient(server.url(), "Authorization", "Bearer " + ApiServer.KEY);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static WireClient join(String user, String room) {
        WireClient client = new WireClient(server.port(), "{\"userId\":\"" + user + "\"}");
        assertThat(client.ask("join_room", "{\"roomId\":\"" + room + "\"}")
                        .path("ok")
                        .asBoolean())
                .isTrue();
        return client;
    }

    private static List<String> texts(JsonNode array, String field) {
        return StreamSupport.stream(array.spliterator(), false)
                .map(node -> field.isEmpty() ? node.asString() : node.get(field).asString())
                .toList();
    }

    @Test
    void roomsAreThoseInWhichSomebodyIs() {
        assertThat(api.get("/api/v1/rooms").json().toString()).isEqualTo("{\"rooms\":[],\"nextCursor\":null}");
        try (WireClient ana = join("ana", "b");
                WireClient budi = join("budi", "b");
                WireClient cici = join("cici", "a")) {
            assertThat(api.get("/api/v1/rooms").json().toString())
                    .isEqualTo("{\"rooms\":[{\"roomId\":\"a\",\"viewerCount\":1},{\"roomId\":\"b\",\"viewerCount\":2}],"
                            + "\"nextCursor\":null}");
            cici.ask("leave_room", "{\"roomId\":\"a\"}");
            assertThat(texts(api.get("/api/v1/rooms").json().get("rooms"), "roomId"))
                    .containsExactly("b");
            REDIS.cli().del("room:presence:b:ana", "room:presence:b:budi");
            assertThat(api.get("/api/v1/rooms").json().get("rooms")).isEmpty();
            assertThat(ana.isDisconnected() || budi.isDisconnected()).isFalse();
        }
    }

    @Test
    void roomsAreJoinedAgainAtOnceAfterAFlush() {
        try (WireClient ana = join("ana", "b")) {
            REDIS.cli().flushall();
            assertThat(api.get("/api/v1/rooms").json().get("rooms")).isEmpty();
            ana.ask("join_room", "{\"roomId\":\"b\"}");
            assertThat(texts(api.get("/api/v1/rooms").json().get("rooms"), "roomId"))
                    .containsExactly("b");
        }
    }

    @Test
    void aPageOfRoomsIsFullHoweverManyEmptyOnesLieBetween() {
        try (WireClient ana = new WireClient(server.port(), "{\"userId\":\"ana\"}")) {
            for (int i = 0; i < 7; i++) {
                ana.ask("join_room", "{\"roomId\":\"room-" + i + "99\"}");
            }
            REDIS.cli()
                    .zadd(
                            "hadir:{rooms}:occupied",
                            IntStream.range(0, 700)
                                    .boxed()
                                    .flatMap(i -> Stream.<Object>of(0.0, "room-" + String.format("%03d", i)))
                                    .toArray());
            List<String> seen = new ArrayList<>();
            List<Integer> sizes = new ArrayList<>();
            String cursor = "";
            do {
                JsonNode page = api.get("/api/v1/rooms?limit=3" + cursor).json();
                sizes.add(page.get("rooms").size());
                seen.addAll(texts(page.get("rooms"), "roomId"));
                cursor = page.get("nextCursor").isNull()
                        ? ""
                        : "&cursor=" + page.get("nextCursor").asString();
            } while (!cursor.isEmpty());
            assertThat(sizes).containsExactly(3, 3, 1);
            assertThat(seen)
                    .containsExactly(
                            "room-099", "room-199", "room-299", "room-399", "room-499", "room-599", "room-699");
        }
    }

    @Test
    void roomsThatEmptiedKeepNobodyWaitingHoweverManyThereAre() {
        String beforeTheEnd =
                Base64.getUrlEncoder().withoutPadding().encodeToString("room:empty-59000".getBytes(US_ASCII));
        try (WireClient ana = join("ana", "z-last")) {
            // Again if a sweep came in between.
            await().untilAsserted(() -> {
                addEmptyRooms(60);
                Answer first = api.get("/api/v1/rooms?limit=10");
                assertThat(first.status()).isEqualTo(200);
                assertThat(first.json().get("rooms")).isEmpty();
                assertThat(first.json().get("nextCursor").isString()).isTrue();
                assertThat(api.get("/api/v1/stats").json().get("roomsOccupied").asInt())
                        .isEqualTo(60_001);
                assertThat(api.get("/api/v1/rooms?limit=10&cursor=" + beforeTheEnd)
                                .json()
                                .toString())
                        .isEqualTo("{\"rooms\":[{\"roomId\":\"z-last\",\"viewerCount\":1}],\"nextCursor\":null}");
            });
            assertThat(ana.isDisconnected()).isFalse();
        }
    }

    private static void addEmptyRooms(int thousands) {
        for (int thousand = 0; thousand < thousands; thousand++) {
            Object[] rooms = IntStream.range(thousand * 1_000, (thousand + 1) * 1_000)
                    .boxed()
                    .flatMap(i -> Stream.<Object>of(0.0, String.format("empty-%05d", i)))
                    .toArray();
            REDIS.cli().zadd("hadir:{rooms}:occupied", rooms);
        }
    }

    @Test
    void oneRoomIsThereAlsoIfNobodyIsInIt() {
        Answer empty = api.get("/api/v1/rooms/nobody");
        assertThat(empty.json().toString())
                .isEqualTo("{\"roomId\":\"nobody\",\"viewerCount\":0,\"revision\":null,\"ttlSeconds\":21600,"
                        + "\"settings\":{\"ttlSeconds\":null,\"inactivityMessage\":null,\"maxParticipants\":null}}");
        try (WireClient ana = new WireClient(server.port(), "{\"userId\":\"ana\"}")) {
            JsonNode joined = ana.ask("join_room", "{\"roomId\":\"r\"}");
            JsonNode room = api.get("/api/v1/rooms/r").json();
            assertThat(room.get("viewerCount").asInt()).isEqualTo(1);
            assertThat(room.get("revision")).isEqualTo(joined.get("revision"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&source=scan"})
    void participantsComeInPages(String source) {
        try (WireClient a = join("a", "r");
                WireClient b = join("b", "r");
                WireClient c = join("c", "r");
                WireClient other = join("a", "r2")) {
            JsonNode first =
                    api.get("/api/v1/rooms/r/participants?limit=2" + source).json();
            assertThat(texts(first.get("participants"), "userId")).containsExactly("a", "b");
            assertThat(first.get("viewerCount").asInt()).isEqualTo(3);
            JsonNode second = api.get("/api/v1/rooms/r/participants?limit=2&cursor="
                            + first.get("nextCursor").asString() + source)
                    .json();
            assertThat(texts(second.get("participants"), "userId")).containsExactly("c");
            assertThat(second.get("nextCursor").isNull()).isTrue();
            assertThat(List.of(a.id(), b.id(), c.id(), other.id())).doesNotHaveDuplicates();
        }
    }

    @Test
    void anAuditSeesTheSameAsTheIndexAndWhatItDoesNotKnowYet() {
        try (WireClient ana = join("ana", "r")) {
            JsonNode listed = api.get("/api/v1/rooms/r/participants").json();
            JsonNode scanned =
                    api.get("/api/v1/rooms/r/participants?source=scan").json();
            assertThat(texts(scanned.get("participants"), "userId")).containsExactly("ana");
            assertThat(scanned.at("/participants/0/joinedAt")).isEqualTo(listed.at("/participants/0/joinedAt"));
            assertThat(scanned.get("revision")).isEqualTo(listed.get("revision"));
            REDIS.cli().set("room:presence:r:foreign", ana.id(), SetArgs.Builder.ex(60));
            assertThat(texts(
                            api.get("/api/v1/rooms/r/participants?source=scan")
                                    .json()
                                    .get("participants"),
                            "userId"))
                    .containsExactly("ana", "foreign");
        }
        assertThat(api.get("/api/v1/rooms/x/participants?source=scan")
                        .json()
                        .get("viewerCount")
                        .asInt())
                .isZero();
    }

    @Test
    void whoIsKickedIsToldWhatTheBackendSays() {
        try (WireClient ana = join("ana", "r")) {
            Answer kicked = api.delete("/api/v1/rooms/r/participants/ana?message=Come%20back;%20tomorrow%21");
            assertThat(kicked.json().toString()).isEqualTo("{\"roomId\":\"r\",\"userId\":\"ana\"}");
            JsonNode told = ana.heard("room:force-leave");
            assertThat(told.get("reason").asString()).isEqualTo("kicked");
            assertThat(told.get("message").asString()).isEqualTo("Come back; tomorrow!");
            assertThat(api.get("/api/v1/rooms/r").json().get("viewerCount").asInt())
                    .isZero();
            Answer again = api.delete("/api/v1/rooms/r/participants/ana");
            assertThat(again.status()).isEqualTo(404);
            assertThat(again.code()).isEqualTo("not_found");
        }
    }

    @Test
    void settingsAreReplacedAsAWhole() {
        String all =
                "{\"ttlSeconds\":60,\"inactivityMessage\":\"Bye, \\u00e9\\ud83d\\ude00\",\"maxParticipants\":2,\"x\":1}";
        Answer put = api.put("/api/v1/rooms/r/settings", all);
        assertThat(put.json().toString())
                .isEqualTo("{\"ttlSeconds\":60,\"inactivityMessage\":\"Bye, é😀\",\"maxParticipants\":2}");
        assertThat(api.get("/api/v1/rooms/r/settings").json()).isEqualTo(put.json());
        assertThat(api.get("/api/v1/rooms/r").json().get("settings")).isEqualTo(put.json());
        assertThat(api.get("/api/v1/rooms/r").json().get("ttlSeconds").asInt()).isEqualTo(60);
        assertThat(REDIS.cli().hgetall("hadir:room:r:settings"))
                .isEqualTo(Map.of("ttlSeconds", "60", "inactivityMessage", "Bye, é😀", "maxParticipants", "2"));

        assertThat(api.put("/api/v1/rooms/r/settings", "{\"maxParticipants\":3,\"ttlSeconds\":null}")
                        .json()
                        .toString())
                .isEqualTo("{\"ttlSeconds\":null,\"inactivityMessage\":null,\"maxParticipants\":3}");
        assertThat(REDIS.cli().hgetall("hadir:room:r:settings")).isEqualTo(Map.of("maxParticipants", "3"));

        assertThat(api.delete("/api/v1/rooms/r/settings").json().toString())
                .isEqualTo("{\"ttlSeconds\":null,\"inactivityMessage\":null,\"maxParticipants\":null}");
        assertThat(REDIS.cli().exists("hadir:room:r:settings")).isZero();
    }

    @Test
    void settingsAreInForceAtTheNextJoinOrHeartbeatOnEveryServer() throws Exception {
        try (ApiServer second = ApiServer.start(REDIS.url());
                WireClient ana = join("ana", "r");
                WireClient budi = new WireClient(second.port(), "{\"userId\":\"budi\"}")) {
            budi.ask("join_room", "{\"roomId\":\"r\"}");
            api.put("/api/v1/rooms/r/settings", "{\"ttlSeconds\":100,\"maxParticipants\":2}");
            ana.ask("room:heartbeat", "{\"roomId\":\"r\"}");
            assertThat(REDIS.cli().ttl("room:presence:r:ana")).isBetween(1L, 100L);
            await().untilAsserted(() -> {
                budi.ask("room:heartbeat", "{\"roomId\":\"r\"}");
                assertThat(REDIS.cli().ttl("room:presence:r:budi")).isBetween(1L, 100L);
            });
            try (WireClient cici = new WireClient(second.port(), "{\"userId\":\"cici\"}")) {
                assertThat(cici.ask("join_room", "{\"roomId\":\"r\"}")
                                .at("/error/code")
                                .asString())
                        .isEqualTo("room_full");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ttlSeconds:15",
                "ttlSeconds:2592001",
                "ttlSeconds:-1",
                "ttlSeconds:60.5",
                "ttlSeconds:\"60\"",
                "ttlSeconds:1e3",
                "ttlSeconds:99999999999",
                "maxParticipants:0",
                "maxParticipants:-5",
                "maxParticipants:1000000001",
                "maxParticipants:2147483648",
                "maxParticipants:true",
                "maxParticipants:[]",
                "inactivityMessage:5",
                "inactivityMessage:\"\"",
                "inactivityMessage:\"  \"",
                "inactivityMessage:\"a\\u0000b\"",
                "inactivityMessage:\"a\\nb\"",
                "inactivityMessage:{}"
            })
    void a21_settingsOfAWrongKindAreRefusedAndNothingIsWritten(String field) {
        String name = field.substring(0, field.indexOf(':'));
        Answer answer = api.put("/api/v1/rooms/r/settings", "{\"" + name + "\"" + field.substring(name.length()) + "}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("invalid_argument");
        assertThat(answer.field()).isEqualTo(name);
        assertThat(REDIS.cli().exists("hadir:room:r:settings")).isZero();
    }

    @Test
    void whatWasSetIsReadBackHoweverLargeItIs() {
        String most = "{\"ttlSeconds\":2592000,\"inactivityMessage\":null,\"maxParticipants\":1000000000}";
        assertThat(api.put("/api/v1/rooms/r/settings", most).json().toString()).isEqualTo(most);
        assertThat(api.get("/api/v1/rooms/r/settings").json().toString()).isEqualTo(most);
    }

    @Test
    void theLongestMessageHas500Characters() {
        String most = "😀".repeat(500);
        assertThat(api.put("/api/v1/rooms/r/settings", "{\"inactivityMessage\":\"" + most + "\"}")
                        .status())
                .isEqualTo(200);
        assertThat(api.put("/api/v1/rooms/r/settings", "{\"inactivityMessage\":\"" + most + "x\"}")
                        .status())
                .isEqualTo(400);
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
    void messagesAreCountedForWhoDoesNotLook() {
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
                "senderId {\"senderId\":\"a b\",\"recipients\":[]}",
                "senderId {\"senderId\":1.5,\"recipients\":[]}",
                "recipients {\"senderId\":\"a\"}",
                "recipients {\"senderId\":\"a\",\"recipients\":\"b\"}",
                "recipients {\"senderId\":\"a\",\"recipients\":{}}",
                "recipients {\"senderId\":\"a\",\"recipients\":[\"b\",null]}",
                "recipients {\"senderId\":\"a\",\"recipients\":[\"b\",[]]}",
                "recipients {\"senderId\":\"a\",\"recipients\":[\"b\",\"*\"]}",
                "data {\"senderId\":\"a\",\"recipients\":[\"b\"],\"data\":1e999}",
                "data {\"senderId\":\"a\",\"recipients\":[\"b\"],\"data\":{\"x\":[0,-1e999]}}",
                "payload []",
                "payload 5",
                "payload null",
                "payload \"text\""
            })
    void a21_messagesOfAWrongKindAreRefused(String given) {
        int space = given.indexOf(' ');
        Answer answer = api.post("/api/v1/rooms/r/messages", given.substring(space + 1));
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.field()).isEqualTo(given.substring(0, space));
        assertThat(REDIS.cli().keys("room:r:*")).isEmpty();
    }

    @Test
    void listsInBodiesHaveTheirLimits() {
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

    @Test
    void removalsAreCountedByHourAndDay() {
        long day = 20_000; // long ago, so that nothing is counted there now
        REDIS.cli()
                .hset("hadir:{stats}:removals:" + day, Map.of("0:left", "3", "0:kicked", "1", "1:left", "2", "x", "y"));
        REDIS.cli().hset("hadir:{stats}:removals:" + (day - 1), Map.of("23:server_gone", "4", "99:unknown", "5"));
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
    void removalsOfOneRoomAreThereAtOnce() {
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
    void statisticsSayHowManyAreThere() {
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
    void nodesSayWhatTheyAre() throws Exception {
        try (ApiServer second = ApiServer.start(REDIS.url())) {
            assertThat(second.port()).isNotEqualTo(server.port());
            await().untilAsserted(() -> {
                JsonNode nodes = api.get("/api/v1/nodes").json().get("nodes");
                assertThat(nodes).hasSize(2);
                assertThat(texts(nodes, "nodeId")).isSorted().doesNotHaveDuplicates();
                assertThat(texts(nodes, "version")).containsOnly("1.2.3-test");
            });
        }
        REDIS.cli().sadd("hadir:{nodes}:known", "odd", "dead");
        REDIS.cli().set("hadir:{nodes}:lease:odd", "not json", SetArgs.Builder.ex(60));
        assertThat(texts(api.get("/api/v1/nodes").json().get("nodes"), "nodeId"))
                .contains("odd")
                .doesNotContain("dead");
    }

    @Test
    void aBodyThatIsNotAskedForIsPassedOver() throws Exception {
        assertThat(api.send("GET", "/api/v1/rooms", "{}").json().get("rooms")).isEmpty();
        assertThat(api.send("DELETE", "/api/v1/rooms/r/settings", "{\"a\":1}").status())
                .isEqualTo(200);
    }

    @Test
    void f49_aServerThatNeverHadKeysForTokensIsNotReady() throws Exception {
        try (ApiServer keyless = ApiServer.start(REDIS.url(), "--jwks-url=http://127.0.0.1:1/jwks")) {
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
