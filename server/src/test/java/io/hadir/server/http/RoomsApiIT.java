package io.hadir.server.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.testing.WireClient;
import io.lettuce.core.SetArgs;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Rooms, their participants and their settings. */
class RoomsApiIT extends OnApiServer {
    RoomsApiIT() {
        // No sweeps: tests rely on stale entries in the list of rooms.
        super("--sweep-seconds=3600");
    }

    @Test
    void onlyOccupiedRoomsAreListed() {
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
            redis.cli().del("room:presence:b:ana", "room:presence:b:budi");
            assertThat(api.get("/api/v1/rooms").json().get("rooms")).isEmpty();
            assertThat(ana.isDisconnected() || budi.isDisconnected()).isFalse();
        }
    }

    @Test
    void aRoomIsListedAgainOnceItIsJoinedAfterAFlush() {
        try (WireClient ana = join("ana", "b")) {
            redis.cli().flushall();
            assertThat(api.get("/api/v1/rooms").json().get("rooms")).isEmpty();
            ana.ask("join_room", "{\"roomId\":\"b\"}");
            assertThat(texts(api.get("/api/v1/rooms").json().get("rooms"), "roomId"))
                    .containsExactly("b");
        }
    }

    @Test
    void emptyRoomsDoNotShortenAPage() {
        try (WireClient ana = new WireClient(server.port(), "{\"userId\":\"ana\"}")) {
            for (int i = 0; i < 7; i++) {
                ana.ask("join_room", "{\"roomId\":\"room-" + i + "99\"}");
            }
            redis.cli()
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
    void manyEmptyRoomsDoNotDelayAList() {
        String beforeTheEnd =
                Base64.getUrlEncoder().withoutPadding().encodeToString("room:empty-59000".getBytes(US_ASCII));
        try (WireClient ana = join("ana", "z-last")) {
            // Repeats if a sweep came in between.
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

    @Test
    void aSearchFindsRoomsByPartOfTheirIds() {
        try (WireClient ana = new WireClient(server.port(), "{\"userId\":\"ana\"}")) {
            for (String room : List.of("Chess.1", "chess-2", "go", "mychess", "zoo")) {
                ana.ask("join_room", "{\"roomId\":\"" + room + "\"}");
            }
            redis.cli().zadd("hadir:{rooms}:occupied", 0.0, "chess-empty");
            assertThat(api.get("/api/v1/rooms?search=cHeSS").json().toString())
                    .isEqualTo("{\"rooms\":[{\"roomId\":\"Chess.1\",\"viewerCount\":1},"
                            + "{\"roomId\":\"chess-2\",\"viewerCount\":1},{\"roomId\":\"mychess\",\"viewerCount\":1}],"
                            + "\"nextCursor\":null}");
            JsonNode first = api.get("/api/v1/rooms?search=chess&limit=2").json();
            assertThat(texts(first.get("rooms"), "roomId")).containsExactly("Chess.1", "chess-2");
            JsonNode second = api.get("/api/v1/rooms?search=chess&limit=2&cursor="
                            + first.get("nextCursor").asString())
                    .json();
            assertThat(texts(second.get("rooms"), "roomId")).containsExactly("mychess");
            assertThat(second.get("nextCursor").isNull()).isTrue();
            // A search is text, not a pattern.
            for (String text : List.of("*", "c.*s", "%F0%9F%98%80", "x".repeat(128))) {
                assertThat(api.get("/api/v1/rooms?search=" + text).json().get("rooms"))
                        .as(text)
                        .isEmpty();
            }
            assertThat(texts(api.get("/api/v1/rooms?search=.").json().get("rooms"), "roomId"))
                    .containsExactly("Chess.1");
        }
    }

    @Test
    void aSearchContinuesAtItsCursor() {
        try (WireClient ana = join("ana", "z-last")) {
            // Repeats if a sweep came in between.
            await().untilAsserted(() -> {
                addEmptyRooms(25);
                JsonNode first = api.get("/api/v1/rooms?search=last").json();
                assertThat(first.get("rooms")).isEmpty();
                String behind = first.get("nextCursor").asString();
                assertThat(api.get("/api/v1/rooms?search=last&cursor=" + behind)
                                .json()
                                .toString())
                        .isEqualTo("{\"rooms\":[{\"roomId\":\"z-last\",\"viewerCount\":1}],\"nextCursor\":null}");
                // Matches have to be counted, so fewer fit into the time limit.
                behind = api.get("/api/v1/rooms?search=empty")
                        .json()
                        .get("nextCursor")
                        .asString();
                assertThat(new String(Base64.getUrlDecoder().decode(behind), US_ASCII))
                        .isEqualTo("room:empty-01999");
            });
            assertThat(ana.isDisconnected()).isFalse();
        }
    }

    private void addEmptyRooms(int thousands) {
        for (int thousand = 0; thousand < thousands; thousand++) {
            Object[] rooms = IntStream.range(thousand * 1_000, (thousand + 1) * 1_000)
                    .boxed()
                    .flatMap(i -> Stream.<Object>of(0.0, String.format("empty-%05d", i)))
                    .toArray();
            redis.cli().zadd("hadir:{rooms}:occupied", rooms);
        }
    }

    @Test
    void anEmptyRoomIsShownToo() {
        Answer empty = api.get("/api/v1/rooms/nobody");
        assertThat(empty.json().toString())
                .isEqualTo(
                        "{\"roomId\":\"nobody\",\"viewerCount\":0,\"revision\":null,\"ttlSeconds\":21600,"
                                + "\"settings\":{\"ttlSeconds\":null,\"awaySeconds\":null,\"inactivityMessage\":null,\"maxParticipants\":null}}");
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
    void aScanListsAlsoPresencesThatTheIndexLacks() {
        try (WireClient ana = join("ana", "r")) {
            JsonNode listed = api.get("/api/v1/rooms/r/participants").json();
            JsonNode scanned =
                    api.get("/api/v1/rooms/r/participants?source=scan").json();
            assertThat(texts(scanned.get("participants"), "userId")).containsExactly("ana");
            assertThat(scanned.at("/participants/0/joinedAt")).isEqualTo(listed.at("/participants/0/joinedAt"));
            assertThat(scanned.get("revision")).isEqualTo(listed.get("revision"));
            redis.cli().set("room:presence:r:foreign", ana.id(), SetArgs.Builder.ex(60));
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

    @ParameterizedTest
    @ValueSource(strings = {"", "&source=scan"})
    void detailsShowWhatKeepsEachParticipantListed(String source) {
        try (WireClient ana = join("ana", "r")) {
            String call = "/api/v1/rooms/r/participants?details=true" + source;
            JsonNode listed = api.get(call).json().at("/participants/0");
            assertThat(listed.propertyNames())
                    .containsExactly(
                            "userId",
                            "username",
                            "joinedAt",
                            "lastActiveAt",
                            "state",
                            "socketId",
                            "nodeId",
                            "ttlMs",
                            "inGrace",
                            "held");
            assertThat(listed.get("socketId").asString()).isEqualTo(ana.id());
            assertThat(ana.id()).startsWith(listed.get("nodeId").asString() + ".");
            assertThat(listed.get("ttlMs").asLong()).isBetween(1L, 21_600_000L);
            // As another program may have changed the keys.
            redis.cli().set("room:presence:r:ana", "odd");
            assertThat(api.get(call).json().at("/participants/0").toString())
                    .endsWith("\"socketId\":\"odd\",\"nodeId\":null,\"ttlMs\":null,\"inGrace\":false,\"held\":false}");
            redis.cli().del("room:presence:r:ana");
            redis.cli().rpush("room:presence:r:ana", "a", "list");
            assertThat(api.get(call).json().at("/participants/0").toString())
                    .endsWith("\"socketId\":null,\"nodeId\":null,\"ttlMs\":null,\"inGrace\":false,\"held\":false}");
            redis.cli().del("room:presence:r:ana");
            assertThat(api.get(call).json().get("participants")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&source=scan"})
    void detailsComeInPagesToo(String source) {
        try (WireClient a = join("a", "r");
                WireClient b = join("b", "r")) {
            String call = "/api/v1/rooms/r/participants?limit=1&details=true" + source;
            JsonNode first = api.get(call).json();
            assertThat(first.get("viewerCount").asInt()).isEqualTo(2);
            assertThat(first.at("/participants/0/socketId").asString()).isEqualTo(a.id());
            JsonNode second = api.get(
                            call + "&cursor=" + first.get("nextCursor").asString())
                    .json();
            assertThat(second.at("/participants/0/socketId").asString()).isEqualTo(b.id());
            assertThat(second.get("nextCursor").isNull()).isTrue();
            assertThat(api.get(call.replace("true", "false"))
                            .json()
                            .at("/participants/0")
                            .propertyNames())
                    .containsExactly("userId", "username", "joinedAt", "lastActiveAt", "state");
        }
    }

    @Test
    void aKickedUserReadsTheMessageOfTheBackend() {
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
                "{\"ttlSeconds\":60,\"awaySeconds\":90,\"inactivityMessage\":\"Bye, \\u00e9\\ud83d\\ude00\",\"maxParticipants\":2,\"x\":1}";
        Answer put = api.put("/api/v1/rooms/r/settings", all);
        assertThat(put.json().toString())
                .isEqualTo(
                        "{\"ttlSeconds\":60,\"awaySeconds\":90,\"inactivityMessage\":\"Bye, é😀\",\"maxParticipants\":2}");
        assertThat(api.get("/api/v1/rooms/r/settings").json()).isEqualTo(put.json());
        assertThat(api.get("/api/v1/rooms/r").json().get("settings")).isEqualTo(put.json());
        assertThat(api.get("/api/v1/rooms/r").json().get("ttlSeconds").asInt()).isEqualTo(60);
        assertThat(redis.cli().hgetall("hadir:room:r:settings"))
                .isEqualTo(Map.of(
                        "ttlSeconds",
                        "60",
                        "awaySeconds",
                        "90",
                        "inactivityMessage",
                        "Bye, é😀",
                        "maxParticipants",
                        "2"));

        assertThat(api.put("/api/v1/rooms/r/settings", "{\"maxParticipants\":3,\"ttlSeconds\":null}")
                        .json()
                        .toString())
                .isEqualTo(
                        "{\"ttlSeconds\":null,\"awaySeconds\":null,\"inactivityMessage\":null,\"maxParticipants\":3}");
        assertThat(redis.cli().hgetall("hadir:room:r:settings")).isEqualTo(Map.of("maxParticipants", "3"));

        assertThat(api.delete("/api/v1/rooms/r/settings").json().toString())
                .isEqualTo(
                        "{\"ttlSeconds\":null,\"awaySeconds\":null,\"inactivityMessage\":null,\"maxParticipants\":null}");
        assertThat(redis.cli().exists("hadir:room:r:settings")).isZero();
    }

    @Test
    void aTtlBelowTheHeartbeatIntervalRemovesNobodyBeforeTheyLearnOfIt() {
        try (WireClient ana = join("ana", "r")) {
            api.put("/api/v1/rooms/r/settings", "{\"ttlSeconds\":16}");
            assertThat(redis.cli().ttl("room:presence:r:ana")).isGreaterThan(16);
            JsonNode beat = ana.ask("room:heartbeat", "{\"roomId\":\"r\"}");
            assertThat(redis.cli().ttl("room:presence:r:ana")).isBetween(1L, 16L);
            assertThat(beat.get("heartbeatSeconds").intValue()).isEqualTo(5);
            api.delete("/api/v1/rooms/r/settings");
            assertThat(ana.ask("room:heartbeat", "{\"roomId\":\"r\"}")
                            .get("heartbeatSeconds")
                            .intValue())
                    .isEqualTo(25);
        }
    }

    @Test
    void settingsApplyFromTheNextJoinOrHeartbeatOnEveryServer() throws Exception {
        try (ApiServer second = ApiServer.start(redis.url());
                WireClient ana = join("ana", "r");
                WireClient budi = new WireClient(second.port(), "{\"userId\":\"budi\"}")) {
            budi.ask("join_room", "{\"roomId\":\"r\"}");
            api.put("/api/v1/rooms/r/settings", "{\"ttlSeconds\":100,\"maxParticipants\":2}");
            ana.ask("room:heartbeat", "{\"roomId\":\"r\"}");
            assertThat(redis.cli().ttl("room:presence:r:ana")).isBetween(1L, 100L);
            await().untilAsserted(() -> {
                budi.ask("room:heartbeat", "{\"roomId\":\"r\"}");
                assertThat(redis.cli().ttl("room:presence:r:budi")).isBetween(1L, 100L);
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
    void a21_settingsOfAWrongTypeAreRefusedAndNothingIsWritten(String field) {
        String name = field.substring(0, field.indexOf(':'));
        Answer answer = api.put("/api/v1/rooms/r/settings", "{\"" + name + "\"" + field.substring(name.length()) + "}");
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.code()).isEqualTo("invalid_argument");
        assertThat(answer.field()).isEqualTo(name);
        assertThat(redis.cli().exists("hadir:room:r:settings")).isZero();
    }

    @Test
    void theLargestSettingsAreReadBack() {
        String most =
                "{\"ttlSeconds\":2592000,\"awaySeconds\":2592000,\"inactivityMessage\":null,\"maxParticipants\":1000000000}";
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
}
