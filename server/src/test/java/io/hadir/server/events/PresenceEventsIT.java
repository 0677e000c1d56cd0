package io.hadir.server.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.PresenceSettings;
import io.hadir.server.ApiServer;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawWebSocket;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The room events as a client sees them on the wire. */
class PresenceEventsIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final PresenceSettings SETTINGS = new PresenceSettings(
            Duration.ofHours(6),
            Duration.ofSeconds(25),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30),
            Duration.ofSeconds(15),
            1000,
            50);

    private static final int THOUSAND = 1_000;

    private static PresenceServer server;

    @BeforeAll
    static void start() throws IOException {
        server = new PresenceServer(REDIS.url(), "n1", SETTINGS);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void aJoinAnswerHasEveryFieldOfTheContract() {
        try (WireClient adi = client("")) {
            JsonNode answer = adi.ask("join_room", "{\"roomId\":1,\"userId\":15,\"username\":\" adi \"}");
            assertThat(answer.propertyNames())
                    .containsExactly(
                            "ok",
                            "roomId",
                            "userId",
                            "socketId",
                            "viewerCount",
                            "participants",
                            "nextCursor",
                            "revision",
                            "ttlSeconds",
                            "heartbeatSeconds",
                            "graceSeconds");
            assertThat(answer.get("ok").asBoolean()).isTrue();
            assertThat(answer.get("roomId").stringValue()).isEqualTo("1");
            assertThat(answer.get("userId").stringValue()).isEqualTo("15");
            assertThat(answer.get("socketId").stringValue()).isEqualTo(adi.id()).startsWith("n1.");
            assertThat(answer.get("ttlSeconds").intValue()).isEqualTo(21600);
            assertThat(answer.get("heartbeatSeconds").intValue()).isEqualTo(25);
            assertThat(answer.get("nextCursor").isNull()).isTrue();
            assertThat(answer.at("/participants/0/username").stringValue()).isEqualTo("adi");
            assertThat(answer.at("/participants/0").propertyNames())
                    .containsExactly("userId", "username", "joinedAt", "lastActiveAt", "state");
            assertThat(REDIS.cli().get("room:presence:1:15")).isEqualTo(adi.id());
        }
    }

    @Test
    void aJoinAndAnUpdateCarryTheAppsData() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            JsonNode joined = adi.ask("join_room", "{\"roomId\":\"d\",\"data\":{\"tags\":[],\"n\":1e2}}");
            assertThat(joined.at("/participants/0/data").toString()).isEqualTo("{\"tags\":[],\"n\":100.0}");
            assertThat(adi.ask("room:update", "{\"roomId\":\"d\",\"username\":\"Adi\",\"data\":{\"mic\":true}}")
                            .toString())
                    .isEqualTo("{\"ok\":true,\"roomId\":\"d\"}");
            JsonNode listed = adi.ask("room:participants", "{\"roomId\":\"d\"}").at("/participants/0");
            assertThat(listed.get("username").stringValue()).isEqualTo("Adi");
            assertThat(listed.get("data").toString()).isEqualTo("{\"mic\":true}");
            adi.ask("room:update", "{\"roomId\":\"d\",\"data\":null}");
            assertThat(adi.ask("room:participants", "{\"roomId\":\"d\"}")
                            .at("/participants/0")
                            .has("data"))
                    .isFalse();
            assertThat(adi.ask("room:update", "{\"roomId\":\"other\"}")
                            .at("/error/code")
                            .stringValue())
                    .isEqualTo("not_in_room");
        }
    }

    @Test
    void dataStaysAcrossJoinsUntilItIsReplacedAndDiesWithThePresence() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            Function<String, String> join = fields -> adi.ask("join_room", "{\"roomId\":\"d3\"" + fields + "}")
                    .at("/participants/0/data")
                    .toString();
            assertThat(join.apply(",\"data\":{\"a\":1}")).isEqualTo("{\"a\":1}");
            assertThat(join.apply("")).isEqualTo("{\"a\":1}");
            assertThat(join.apply(",\"data\":null")).isEmpty();
            assertThat(join.apply(",\"data\":{}")).isEqualTo("{}");
            adi.ask("leave_room", "{\"roomId\":\"d3\"}");
            assertThat(join.apply("")).isEmpty();
        }
    }

    @Test
    void a22_badListsToWatchAreRefusedAndTheLastGoodOneStays() {
        String ids = IntStream.rangeClosed(0, 500).mapToObj(Integer::toString).collect(Collectors.joining(","));
        try (WireClient adi = client("{\"userId\":\"adi\"}");
                WireClient budi = client("{\"userId\":\"budi\"}")) {
            adi.ask("rooms:watch", "{\"roomIds\":[\"w9\"]}");
            for (String list : List.of("\"r\"", "[\"..\"]", "[null]", "null", "[" + ids + "]")) {
                assertThat(adi.ask("rooms:watch", "{\"roomIds\":" + list + "}")
                                .at("/error/field")
                                .stringValue())
                        .isEqualTo("roomIds");
                assertThat(adi.ask("users:watch", "{\"userIds\":" + list + "}")
                                .at("/error/field")
                                .stringValue())
                        .isEqualTo("userIds");
            }
            budi.ask("join_room", "{\"roomId\":\"w9\"}");
            assertThat(adi.heard("rooms:counts").at("/counts").toString()).isEqualTo("{\"w9\":1}");
        }
    }

    @Test
    void a21_dataThatIsNotASmallObjectIsRefusedAndChangesNothing() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            adi.ask("join_room", "{\"roomId\":\"d2\",\"data\":{\"a\":1}}");
            String most = "{\"t\":\"" + "x".repeat(1024 - 8) + "\"}";
            for (String bad : List.of("1", "\"x\"", "[]", "true", "{\"n\":1e999}", most.replace("x\"", "xx\""))) {
                for (String event : List.of("join_room", "room:update")) {
                    JsonNode answer = adi.ask(event, "{\"roomId\":\"d2\",\"data\":" + bad + "}");
                    assertThat(answer.at("/error/field").stringValue()).as(bad).isEqualTo("data");
                }
            }
            assertThat(adi.ask("room:participants", "{\"roomId\":\"d2\"}")
                            .at("/participants/0/data")
                            .toString())
                    .isEqualTo("{\"a\":1}");
            // What counts is the compact form in UTF-8, not what was sent.
            String accents = "{\"t\":\"" + "é".repeat(508) + "\"}";
            for (String good : List.of(
                    most, most.replace(":", " : ").replace("}", "  }"), accents, accents.replace("é", "\\u00e9"))) {
                assertThat(adi.ask("room:update", "{\"roomId\":\"d2\",\"data\":" + good + "}")
                                .get("ok")
                                .asBoolean())
                        .as(good)
                        .isTrue();
            }
            assertThat(adi.ask("room:update", "{\"roomId\":\"d2\",\"data\":" + accents.replaceFirst("é", "éé") + "}")
                            .at("/error/code")
                            .stringValue())
                    .isEqualTo("invalid_argument");
        }
    }

    @Test
    void aPausedSocketIsAwayUntilItResumes() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            adi.ask("join_room", "{\"roomId\":\"p\"}");
            assertThat(adi.ask("room:pause", "{}").toString())
                    .isEqualTo("{\"ok\":true,\"rooms\":[{\"roomId\":\"p\",\"awaySeconds\":1800}]}");
            assertThat(adi.ask("room:participants", "{\"roomId\":\"p\"}")
                            .at("/participants/0/state")
                            .stringValue())
                    .isEqualTo("away");
            assertThat(REDIS.cli().get("user:adi:active_room")).isNull();
            assertThat(adi.ask("room:pause").path("ok").asBoolean())
                    .as("all fields are optional")
                    .isTrue();
            JsonNode resumed = adi.ask("room:resume", "{\"roomId\":\"p\"}");
            assertThat(resumed.at("/rooms/0").propertyNames()).containsExactly("roomId", "expiresAt");
            assertThat(adi.ask("room:participants", "{\"roomId\":\"p\"}")
                            .at("/participants/0/state")
                            .stringValue())
                    .isEqualTo("active");
            assertThat(adi.ask("room:pause", "{\"roomId\":\"other\"}")
                            .at("/error/code")
                            .stringValue())
                    .isEqualTo("not_in_room");
            assertThat(adi.ask("room:pause", "7").at("/error/code").stringValue())
                    .isEqualTo("invalid_argument");
        }
    }

    @Test
    void aWatcherHearsCountsAndWhoIsOnline() {
        try (WireClient watcher = client("")) {
            watcher.emit("rooms:watch", "{\"roomIds\":[\"w1\",\"w2\"]}");
            assertThat(watcher.heard("rooms:counts").toString())
                    .isEqualTo("{\"ok\":true,\"counts\":{\"w1\":0,\"w2\":0}}");
            assertThat(watcher.ask("users:watch", "{\"userIds\":[\"wati\"]}").toString())
                    .isEqualTo("{\"ok\":true,\"users\":[{\"userId\":\"wati\",\"online\":false,\"lastSeen\":null}]}");
            try (WireClient wati = client("{\"userId\":\"wati\"}")) {
                wati.ask("join_room", "{\"roomId\":\"w2\"}");
                assertThat(watcher.heard("rooms:counts").toString()).isEqualTo("{\"counts\":{\"w2\":1}}");
                assertThat(watcher.heard("users:status").at("/users/0/online").asBoolean())
                        .isTrue();
            }
            JsonNode offline = watcher.heard("users:status").at("/users/0");
            assertThat(offline.get("online").asBoolean()).isFalse();
            assertThat(offline.get("lastSeen").isNumber()).isTrue();
            assertThat(watcher.ask("rooms:watch", "{\"roomIds\":\"w1\"}")
                            .at("/error/field")
                            .stringValue())
                    .isEqualTo("roomIds");
        }
    }

    @Test
    void withoutACallbackAnswersAndErrorsArriveAsEvents() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            adi.emit("join_room", "{\"roomId\":\"r\"}");
            assertThat(adi.heard("room:joined").get("viewerCount").intValue()).isEqualTo(1);
            adi.emit("room:heartbeat", "{\"roomId\":\"r\"}");
            assertThat(adi.heard("room:heartbeat:ack").propertyNames())
                    .containsExactly("ok", "roomId", "expiresAt", "serverTime", "heartbeatSeconds");
            adi.emit("room:participants", "{\"roomId\":\"r\"}");
            assertThat(adi.heard("room:participants").propertyNames())
                    .containsExactly("ok", "roomId", "viewerCount", "participants", "nextCursor", "revision");
            adi.emit("leave_room", "{\"roomId\":\"r\"}");
            assertThat(adi.heard("room:left").get("roomId").stringValue()).isEqualTo("r");
            adi.emit("join_room", "{\"roomId\":\"..\"}");
            JsonNode error = adi.heard("room:error");
            assertThat(error.get("event").stringValue()).isEqualTo("join_room");
            assertThat(error.get("code").stringValue()).isEqualTo("invalid_argument");
            assertThat(error.get("field").stringValue()).isEqualTo("roomId");
            adi.emit("no_such_event", "{}");
            assertThat(adi.heard("room:error").get("code").stringValue()).isEqualTo("not_found");
        }
    }

    @Test
    void othersHearOfJoinsAndOfLeavesAfterTheGracePeriod() {
        try (WireClient watcher = client("{\"userId\":\"watcher\"}")) {
            JsonNode room = watcher.ask("join_room", "{\"roomId\":\"r\"}");
            WireClient adi = client("");
            adi.ask("join_room", "{\"roomId\":\"r\",\"userId\":\"adi\"}");
            JsonNode joined = watcher.heard("room:presence");
            if (joined.get("revision").equals(room.get("revision"))) {
                // A client may hear of its own join, too.
                joined = watcher.heard("room:presence");
            }
            assertThat(joined.propertyNames())
                    .containsExactly("roomId", "fromRevision", "revision", "joined", "left", "updated", "viewerCount");
            assertThat(joined.get("fromRevision").longValue())
                    .isLessThanOrEqualTo(room.get("revision").longValue());
            assertThat(joined.at("/joined/0/userId").stringValue()).isEqualTo("adi");
            assertThat(joined.get("viewerCount").intValue()).isEqualTo(2);
            adi.close();
            JsonNode left = watcher.heard("room:presence");
            assertThat(left.at("/left/0/userId").stringValue()).isEqualTo("adi");
            assertThat(left.at("/left/0/reason").stringValue()).isEqualTo("disconnected");
            assertThat(left.get("viewerCount").intValue()).isEqualTo(1);
        }
    }

    @Test
    void aNewNameIsAnnouncedAndAnOmittedOneChangesNothing() {
        try (WireClient watcher = client("{\"userId\":\"watcher\"}");
                WireClient adi = client("{\"userId\":15}")) {
            watcher.ask("join_room", "{\"roomId\":\"r\"}");
            JsonNode first = adi.ask("join_room", "{\"roomId\":\"r\",\"username\":\"adi\"}");
            assertThat(first.at("/participants/1/username").stringValue()).isEqualTo("adi");
            long revision = first.get("revision").longValue();
            JsonNode told = watcher.heard("room:presence");
            while (told.get("revision").longValue() < revision) {
                told = watcher.heard("room:presence");
            }
            for (String payload : List.of("{\"roomId\":\"r\"}", "{\"roomId\":\"r\",\"username\":null}")) {
                JsonNode again = adi.ask("join_room", payload);
                assertThat(again.at("/participants/1/username").stringValue()).isEqualTo("adi");
                assertThat(again.get("revision").longValue()).isEqualTo(revision);
            }
            adi.ask("join_room", "{\"roomId\":\"r\",\"username\":\"Adi\"}");
            told = watcher.heard("room:presence");
            assertThat(told.get("revision").longValue()).isEqualTo(revision + 1);
            assertThat(told.get("joined").findValuesAsString("userId")).doesNotContain("15");
            assertThat(told.at("/updated/0").propertyNames())
                    .containsExactly("userId", "username", "joinedAt", "lastActiveAt", "state");
            assertThat(told.at("/updated/0/userId").stringValue()).isEqualTo("15");
            assertThat(told.at("/updated/0/username").stringValue()).isEqualTo("Adi");
            assertThat(told.get("viewerCount").intValue()).isEqualTo(2);
        }
    }

    @Test
    void aHeartbeatWithoutAPresenceCausesForceLeaveAndDisconnect() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            adi.ask("join_room", "{\"roomId\":\"r\"}");
            REDIS.cli().del("room:presence:r:adi");
            JsonNode answer = adi.ask("room:heartbeat", "{\"roomId\":\"r\"}");
            assertThat(answer.get("ok").asBoolean()).isFalse();
            assertThat(answer.at("/error/code").stringValue()).isEqualTo("not_in_room");
            JsonNode told = adi.heard("room:force-leave");
            assertThat(told.propertyNames()).containsExactly("roomId", "reason", "message", "timestamp");
            assertThat(told.get("reason").stringValue()).isEqualTo("presence_lost");
            assertThat(told.get("message").stringValue()).isEqualTo("You are not in the chatroom");
            await().until(adi::isDisconnected);
        }
    }

    @ParameterizedTest
    @CsvSource({"100,25", "75,25", "74,24", "25,8", "4,1", "2,1"})
    void inARoomWithAShortTtlClientsAreToldToSendHeartbeatsMoreOften(int ttl, int heartbeat) {
        REDIS.cli().hset("hadir:room:r:settings", "ttlSeconds", Integer.toString(ttl));
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            JsonNode joined = adi.ask("join_room", "{\"roomId\":\"r\"}");
            assertThat(joined.get("ttlSeconds").intValue()).isEqualTo(ttl);
            assertThat(joined.get("heartbeatSeconds").intValue()).isEqualTo(heartbeat);
            JsonNode beat = adi.ask("room:heartbeat", "{\"roomId\":\"r\"}");
            assertThat(beat.get("heartbeatSeconds").intValue()).isEqualTo(heartbeat);
        }
    }

    @Test
    void a25_theRoomsOfASocketAreLimited() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            for (int i = 0; i < 50; i++) {
                adi.ask("join_room", "{\"roomId\":" + i + "}");
            }
            assertThat(adi.ask("join_room", "{\"roomId\":0}").path("ok").booleanValue())
                    .as("a room that the socket is in already")
                    .isTrue();
            assertThat(adi.ask("join_room", "{\"roomId\":50}").at("/error/code").stringValue())
                    .isEqualTo("limit_exceeded");
            adi.ask("leave_room", "{\"roomId\":0}");
            assertThat(adi.ask("join_room", "{\"roomId\":50}").path("ok").booleanValue())
                    .isTrue();
        }
    }

    @Test
    void a25_aClientThatSendsTooMuchLearnsWhenToRetry() throws Exception {
        try (ApiServer strict = ApiServer.start(REDIS.url(), "--events-per-second=1");
                WireClient adi = new WireClient(strict.port(), "{\"userId\":\"adi\"}")) {
            JsonNode answer = adi.ask("unread", "{\"roomIds\":[]}");
            for (int i = 0; i < 10 && answer.get("ok").booleanValue(); i++) {
                answer = adi.ask("unread", "{\"roomIds\":[]}");
            }
            assertThat(code(answer)).isEqualTo("rate_limited");
            assertThat(answer.at("/error/retryAfterMs").intValue()).isEqualTo(1000);
        }
    }

    @Test
    void a25_aClientThatFloodsIsClosedAfterItsAcceptedEventsAreAnswered() throws Exception {
        try (ApiServer strict = ApiServer.start(REDIS.url(), "--events-per-second=10");
                RawWebSocket socket = RawWebSocket.open(strict.port(), "/socket.io/?EIO=4&transport=websocket")) {
            assertThat(socket.next().text()).startsWith("0");
            socket.send("40{\"userId\":\"adi\"}");
            assertThat(socket.text()).startsWith("40");
            REDIS.cli().clientPause(500);
            socket.send(IntStream.range(0, 100)
                    .mapToObj(i -> "42" + i + "[\"join_room\",{\"roomId\":\"flood" + i + "\"}]")
                    .toArray(String[]::new));
            List<String> heard = new ArrayList<>();
            RawWebSocket.Frame next = socket.next();
            while (next.opcode() == RawWebSocket.TEXT) {
                heard.add(next.text());
                next = socket.next();
            }
            for (int i = 0; i < 18; i++) {
                String answer = "43" + i + "[{\"ok\":true";
                assertThat(heard).anyMatch(text -> text.startsWith(answer));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"room:heartbeat", "room:participants", "join_room"})
    void withoutALimitAThousandEventsAtOnceAreAllAnswered(String event) throws Exception {
        try (ApiServer unlimited = ApiServer.start(REDIS.url(), "--events-per-second=0");
                RawWebSocket socket = RawWebSocket.open(unlimited.port(), "/socket.io/?EIO=4&transport=websocket");
                PollingClient polling = new PollingClient(unlimited.port(), "/socket.io/")) {
            assertThat(socket.next().text()).startsWith("0");
            String[] events = IntStream.rangeClosed(0, THOUSAND)
                    .mapToObj(i -> "42" + i + "[\"" + (i == 0 ? "join_room" : event) + "\",{\"roomId\":\"r\"}]")
                    .toArray(String[]::new);
            socket.send("40{\"userId\":\"adi\"}");
            assertThat(socket.text()).startsWith("40");
            socket.send(events);
            polling.send("40{\"userId\":\"budi\"}");
            assertThat(polling.packet()).startsWith("40");
            assertThat(polling.send(events).status()).isEqualTo(200);
            assertThat(answered(socket::text)).isEqualTo(THOUSAND + 1);
            assertThat(answered(polling::packet)).isEqualTo(THOUSAND + 1);
        }
    }

    private interface Reading {
        String packet() throws IOException;
    }

    /** Reads until every event is answered, and counts the good answers. */
    private static int answered(Reading reading) throws IOException {
        int good = 0;
        for (int answers = 0; answers <= THOUSAND; ) {
            String packet = reading.packet();
            if (packet.startsWith("43")) {
                answers++;
                good += packet.contains("[{\"ok\":true") ? 1 : 0;
            }
        }
        return good;
    }

    @Test
    void theFirstAcceptedEventSettlesTheUserOfTheSocket() {
        try (WireClient adi = client("")) {
            assertThat(code(adi.ask("join_room", "{\"roomId\":\"r\"}"))).isEqualTo("unauthenticated");
            assertThat(code(adi.ask("room:heartbeat", "{\"roomId\":\"r\",\"userId\":null}")))
                    .isEqualTo("unauthenticated");
            assertThat(adi.ask("room:participants", "{\"roomId\":\"r\"}")
                            .get("ok")
                            .asBoolean())
                    .isTrue();
            // A refused event does not settle the user.
            assertThat(code(adi.ask("room:heartbeat", "{\"roomId\":\"r\",\"userId\":\"other\"}")))
                    .isEqualTo("not_in_room");
            adi.ask("join_room", "{\"roomId\":\"r\",\"userId\":\"adi\"}");
            assertThat(code(adi.ask("join_room", "{\"roomId\":\"r\",\"userId\":\"other\"}")))
                    .isEqualTo("forbidden");
            assertThat(code(adi.ask("leave_room", "{\"roomId\":\"r\",\"userId\":\"other\"}")))
                    .isEqualTo("forbidden");
            assertThat(adi.ask("join_room", "{\"roomId\":\"r2\"}").get("userId").stringValue())
                    .isEqualTo("adi");
            assertThat(REDIS.cli().keys("room:presence:*:other")).isEmpty();
        }
    }

    @Test
    void theHandshakeSettlesTheUserAndABadOneIsRefused() {
        try (WireClient adi = client("{\"userId\":7}")) {
            assertThat(adi.ask("join_room", "{\"roomId\":\"r\"}").get("userId").stringValue())
                    .isEqualTo("7");
            assertThat(code(adi.ask("join_room", "{\"roomId\":\"r\",\"userId\":8}")))
                    .isEqualTo("forbidden");
        }
        try (WireClient bad = client("{\"userId\":\"a  b\"}")) {
            assertThat(Objects.requireNonNull(bad.refused()).get("message").stringValue())
                    .isEqualTo("invalid_argument");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"roomId\":\"a\\r\\nb\"}",
                "{\"roomId\":\" a\"}",
                "{\"roomId\":\"a\\u200db\"}",
                "{\"roomId\":\"a\\u00adb\"}",
                "{\"roomId\":\"a\\u0000\"}",
                "{\"roomId\":\"\"}",
                "{\"roomId\":\"..\"}",
                "{\"roomId\":\"presence\"}",
                "{\"roomId\":15.0}",
                "{\"roomId\":1e3}",
                "{\"roomId\":9007199254740992}",
                "{\"roomId\":true}",
                "{\"roomId\":[\"a\"]}",
                "{\"roomId\":{\"a\":1}}",
                "{}",
                "[]",
                "\"r\"",
                "null",
                "{\"roomId\":\"r\",\"userId\":\"a\\u200bb\"}",
                "{\"roomId\":\"r\",\"userId\":{}}",
                "{\"roomId\":\"r\",\"username\":7}",
                "{\"roomId\":\"r\",\"username\":\"  \"}",
                "{\"roomId\":\"r\",\"username\":\"a\\u202eb\"}",
                "{\"roomId\":\"r\",\"username\":\"a\\u0007b\"}",
                "{\"roomId\":\"r\",\"username\":\"a\\u200bb\"}",
                "{\"roomId\":\"r\",\"username\":\"\\u3164\"}",
                "{\"roomId\":\"\\ud800\"}",
                "{\"roomId\":\"r\",\"userId\":\"a\\udc00\"}",
                "{\"roomId\":\"r\",\"username\":\"a\\ud800\"}",
                "{\"roomId\":\"r\",\"data\":{\"a\":[\"\\ud800\"]}}",
                "{\"roomId\":\"r\",\"data\":{\"\\ud800\":1}}",
                "{\"roomId\":\"r\",\"focus\":1}"
            })
    void a22_badInputIsRefusedAndNothingIsWritten(String payload) {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            JsonNode answer = adi.ask("join_room", payload);
            assertThat(code(answer)).isEqualTo("invalid_argument");
            assertThat(answer.at("/error/field").isString()).isTrue();
            assertThat(REDIS.cli().keys("room:*")).isEmpty();
        }
    }

    @Test
    void a46_badLimitsAndCursorsAreRefusedAndPagesCoverTheRoom() {
        List<WireClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 5; i++) {
                clients.add(client("{\"userId\":\"u" + i + "\"}"));
                clients.get(i).ask("join_room", "{\"roomId\":\"r\"}");
            }
            WireClient any = clients.get(0);
            for (String bad :
                    List.of("\"limit\":0", "\"limit\":1001", "\"limit\":-1", "\"limit\":2.5", "\"limit\":\"9\"")) {
                assertThat(code(any.ask("room:participants", "{\"roomId\":\"r\"," + bad + "}")))
                        .isEqualTo("invalid_argument");
            }
            for (String bad : List.of("\"\"", "\"!!\"", "\"Zm9v\"", "7", "\"MTIz\"")) {
                assertThat(code(any.ask("room:participants", "{\"roomId\":\"r\",\"cursor\":" + bad + "}")))
                        .isEqualTo("invalid_argument");
            }
            List<String> found = new ArrayList<>();
            String cursor = "null";
            do {
                JsonNode page =
                        any.ask("room:participants", "{\"roomId\":\"r\",\"limit\":2,\"cursor\":" + cursor + "}");
                page.get("participants")
                        .forEach(one -> found.add(one.get("userId").stringValue()));
                assertThat(page.get("viewerCount").intValue()).isEqualTo(5);
                cursor = page.get("nextCursor").toString();
            } while (!cursor.equals("null"));
            assertThat(found).containsExactly("u0", "u1", "u2", "u3", "u4");
        } finally {
            clients.forEach(WireClient::close);
        }
    }

    private static WireClient client(String auth) {
        return new WireClient(server.port, auth);
    }

    private static String code(JsonNode answer) {
        return answer.at("/error/code").asString();
    }
}
