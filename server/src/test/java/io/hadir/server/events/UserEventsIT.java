package io.hadir.server.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Message;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Focus, unread counters and notifications as clients of two servers see them on the wire. */
class UserEventsIT {
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

    private static PresenceServer server;
    private static PresenceServer other;

    @BeforeAll
    static void start() throws IOException {
        server = new PresenceServer(REDIS.url(), "n1", SETTINGS);
        other = new PresenceServer(REDIS.url(), "n2", SETTINGS);
        await().until(() -> REDIS.cli().pubsubNumsub("hadir:node:n1:users", "hadir:node:n2:users").values().stream()
                .allMatch(listening -> listening == 1));
    }

    @AfterAll
    static void stop() {
        server.close();
        other.close();
    }

    @Test
    void focusBlurAndUnreadAreAnsweredAsTheContractSays() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            assertThat(REDIS.cli().get("user:adi:online")).isEqualTo("true");
            send(null, "r", "adi");
            assertThat(adi.ask("unread", "{\"roomIds\":[\"r\",7,\"r\"]}").toString())
                    .isEqualTo("{\"ok\":true,\"unread\":{\"r\":1,\"7\":0}}");
            assertThat(adi.ask("room:focus", "{\"roomId\":\"r\"}").toString())
                    .isEqualTo("{\"ok\":true,\"roomId\":\"r\",\"unread\":0}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("r");
            assertThat(adi.ask("unread", "{\"roomIds\":[\"r\"]}")
                            .at("/unread/r")
                            .intValue())
                    .isZero();
            assertThat(adi.ask("room:blur", "{\"roomId\":\"r\"}").toString())
                    .isEqualTo("{\"ok\":true,\"roomId\":\"r\"}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isNull();
            assertThat(adi.ask("unread", "{\"roomIds\":[]}").toString()).isEqualTo("{\"ok\":true,\"unread\":{}}");
            assertThat(adi.heard("room:unread").toString()).isEqualTo("{\"roomId\":\"r\",\"unread\":1}");
            assertThat(adi.heard("room:unread").toString()).isEqualTo("{\"roomId\":\"r\",\"unread\":0}");
        }
        await().until(() -> REDIS.cli().exists("user:adi:online") == 0);
    }

    @Test
    void withoutACallbackOnlyFailuresAreSent() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            adi.emit("room:focus", "{\"roomId\":\"r\"}");
            adi.emit("unread", "{\"roomIds\":[\"r\"]}");
            adi.emit("room:blur", "{\"roomId\":\"..\"}");
            JsonNode error = adi.heard("room:error");
            assertThat(error.get("event").stringValue()).isEqualTo("room:blur");
            assertThat(error.get("code").stringValue()).isEqualTo("invalid_argument");
            // Answered after all of them, because a socket's events are handled in order.
            adi.ask("room:blur", "{\"roomId\":\"r\"}");
            assertThat(adi.heardNothingElse()).isTrue();
        }
    }

    @Test
    void aNotificationReachesTheUsersSocketsOnEveryServer() {
        try (WireClient here = client("{\"userId\":\"adi\"}");
                WireClient there = new WireClient(other.port, "{\"userId\":\"adi\"}")) {
            there.ask("join_room", "{\"roomId\":\"elsewhere\"}");
            send("{\"text\":\"halo\"}", "r", "adi");
            for (WireClient client : List.of(here, there)) {
                assertThat(client.heard("notification").toString())
                        .isEqualTo(
                                "{\"roomId\":\"r\",\"senderId\":\"sender\",\"unread\":1,\"data\":{\"text\":\"halo\"}}");
                assertThat(client.heard("room:unread").toString()).isEqualTo("{\"roomId\":\"r\",\"unread\":1}");
            }
            send(null, "r", "adi");
            assertThat(here.heard("notification").toString())
                    .isEqualTo("{\"roomId\":\"r\",\"senderId\":\"sender\",\"unread\":2}");
        }
    }

    @Test
    void joinFocusesTheRoomAndPipelinedEventsApplyInOrder() {
        try (WireClient adi = client("")) {
            adi.emit("join_room", "{\"roomId\":\"a\",\"userId\":\"adi\"}");
            adi.emit("room:focus", "{\"roomId\":\"b\"}");
            adi.emit("leave_room", "{\"roomId\":\"a\"}");
            adi.ask("unread", "{\"roomIds\":[]}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("b");
            adi.ask("join_room", "{\"roomId\":\"a\"}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("a");
        }
    }

    @Test
    void aJoinWithoutFocusNeitherFocusesNorReadsTheRoom() {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            send(null, "a", "adi");
            send(null, "b", "adi");
            assertThat(adi.ask("join_room", "{\"roomId\":\"b\",\"focus\":false}")
                            .get("ok")
                            .booleanValue())
                    .isTrue();
            assertThat(REDIS.cli().get("user:adi:active_room")).isNull();
            assertThat(REDIS.cli().get("room:b:unread:adi")).isEqualTo("1");

            adi.ask("join_room", "{\"roomId\":\"a\",\"focus\":true}");
            adi.ask("join_room", "{\"roomId\":\"b\",\"focus\":false}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("a");
            assertThat(REDIS.cli().get("room:b:unread:adi")).isEqualTo("1");
            assertThat(adi.ask("unread", "{\"roomIds\":[\"a\",\"b\"]}")
                            .get("unread")
                            .toString())
                    .isEqualTo("{\"a\":0,\"b\":1}");

            // The focus stays on the other room.
            adi.ask("join_room", "{\"roomId\":\"a\",\"focus\":false}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("a");
            adi.ask("join_room", "{\"roomId\":\"b\",\"focus\":null}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("b");
            JsonNode bad = adi.ask("join_room", "{\"roomId\":\"b\",\"focus\":\"no\"}");
            assertThat(code(bad)).isEqualTo("invalid_argument");
            assertThat(bad.at("/error/field").stringValue()).isEqualTo("focus");
        }
    }

    @Test
    void aSocketWithoutAUserIsRefused() {
        try (WireClient nobody = client("")) {
            assertThat(code(nobody.ask("room:focus", "{\"roomId\":\"r\"}"))).isEqualTo("unauthenticated");
            assertThat(code(nobody.ask("room:blur", "{\"roomId\":\"r\"}"))).isEqualTo("unauthenticated");
            assertThat(code(nobody.ask("unread", "{\"roomIds\":[\"r\"]}"))).isEqualTo("unauthenticated");
            assertThat(REDIS.cli().keys("user:*")).isEmpty();
        }
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            assertThat(code(adi.ask("room:focus", "{\"roomId\":\"r\",\"userId\":\"budi\"}")))
                    .isEqualTo("forbidden");
            assertThat(REDIS.cli().keys("user:budi:*")).isEmpty();
        }
    }

    @Test
    void theNewestSocketIsRefusedWhenAUserHasTooMany() {
        List<WireClient> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 20; i++) {
                clients.add(new WireClient(i % 2 == 0 ? server.port : other.port, "{\"userId\":\"adi\"}"));
            }
            WireClient late = client("{\"userId\":\"adi\"}");
            clients.add(late);
            assertThat(Objects.requireNonNull(late.refused()).get("message").stringValue())
                    .isEqualTo("limit_exceeded");
            WireClient open = client("");
            clients.add(open);
            assertThat(code(open.ask("join_room", "{\"roomId\":\"r\",\"userId\":\"adi\"}")))
                    .isEqualTo("limit_exceeded");
            assertThat(REDIS.cli().keys("room:presence:*")).isEmpty();
            assertThat(open.ask("join_room", "{\"roomId\":\"r\",\"userId\":\"budi\"}")
                            .get("ok")
                            .asBoolean())
                    .as("the socket has no user yet")
                    .isTrue();
            assertThat(REDIS.cli().hlen("hadir:user:adi")).isEqualTo(20);
        } finally {
            clients.forEach(WireClient::close);
        }
        await().until(() -> REDIS.cli().exists("hadir:user:adi") == 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"roomId\":\"a\\r\\nb\"}",
                "{\"roomId\":\"a\\u200bb\"}",
                "{\"roomId\":\"a\\u0000\"}",
                "{\"roomId\":\"\"}",
                "{\"roomId\":\"presence\"}",
                "{\"roomId\":15.0}",
                "{\"roomId\":[\"a\"]}",
                "{}",
                "[]",
                "null",
                "{\"roomId\":\"r\",\"userId\":{}}"
            })
    void a22_badInputIsRefusedAndNothingIsWritten(String payload) {
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            for (String event : List.of("room:focus", "room:blur")) {
                JsonNode answer = adi.ask(event, payload);
                assertThat(code(answer)).isEqualTo("invalid_argument");
                assertThat(answer.at("/error/field").isString()).isTrue();
            }
            assertThat(REDIS.cli().keys("room:*")).isEmpty();
            assertThat(REDIS.cli().keys("user:*:active_room")).isEmpty();
        }
    }

    @Test
    void a22_badListsOfRoomsAreRefused() {
        String tooMany = IntStream.rangeClosed(0, 100)
                .mapToObj(Integer::toString)
                .reduce((one, two) -> one + "," + two)
                .orElseThrow();
        try (WireClient adi = client("{\"userId\":\"adi\"}")) {
            for (String bad : List.of(
                    "{\"roomIds\":\"r\"}",
                    "{\"roomIds\":{\"0\":\"r\"}}",
                    "{\"roomIds\":[\"..\"]}",
                    "{\"roomIds\":[[\"r\"]]}",
                    "{\"roomIds\":[null]}",
                    "{\"roomIds\":[1.5]}",
                    "{\"roomIds\":null}",
                    "{\"roomIds\":[" + tooMany + "]}",
                    "{}")) {
                JsonNode answer = adi.ask("unread", bad);
                assertThat(code(answer)).as(bad).isEqualTo("invalid_argument");
                assertThat(answer.at("/error/field").stringValue()).isEqualTo("roomIds");
            }
            assertThat(code(adi.ask("unread", "[]"))).isEqualTo("invalid_argument");
        }
    }

    @Test
    void a24_luaInIdsAndDataIsOnlyText() {
        String room = "]] redis.call('FLUSHALL') --[[ %s {0}";
        String user = "'; return 1 -- %d";
        try (WireClient adi = client("{\"userId\":\"" + user + "\"}")) {
            send("{\"text\":\"]] redis.call('FLUSHALL') --\\u0000%s\"}", room, user);
            assertThat(adi.heard("notification").at("/data/text").stringValue())
                    .isEqualTo("]] redis.call('FLUSHALL') --\0%s");
            adi.ask("room:focus", "{\"roomId\":\"" + room + "\"}");
            assertThat(REDIS.cli().get("user:%27%3B%20return%201%20--%20%25d:active_room"))
                    .isEqualTo(room);
        }
    }

    private static void send(@Nullable String data, String room, String... recipients) {
        List<UserId> users = Stream.of(recipients).map(UserId::new).toList();
        server.users
                .message(new Message(new RoomId(room), new UserId("sender"), users, data))
                .toCompletableFuture()
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
    }

    private static WireClient client(String auth) {
        return new WireClient(server.port, auth);
    }

    private static String code(JsonNode answer) {
        return answer.at("/error/code").asString();
    }
}
