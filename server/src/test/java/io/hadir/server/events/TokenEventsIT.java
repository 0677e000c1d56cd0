package io.hadir.server.events;

import static io.hadir.server.support.TokenMint.claims;
import static io.hadir.server.support.TokenMint.hs256;
import static io.hadir.server.support.TokenMint.with;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.presence.room.PresenceSettings;
import io.hadir.presence.room.RoomId;
import io.hadir.presence.room.UserId;
import io.hadir.presence.user.Message;
import io.hadir.server.ApiServer;
import io.hadir.server.auth.Tokens;
import io.hadir.server.support.TokenMint;
import io.hadir.testing.ManualClock;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What a token permits, as its client sees it on the wire. */
class TokenEventsIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final List<String> ROOM_EVENTS = List.of(
            "join_room",
            "room:heartbeat",
            "room:participants",
            "room:focus",
            "room:blur",
            "room:update",
            "room:pause",
            "room:resume",
            "leave_room");
    private static final Duration GRACE = Duration.ofSeconds(20);
    private static final Duration TOKEN_LIFE = Duration.ofMinutes(10);
    private static final Duration SKEW = Duration.ofSeconds(30);

    private final ManualClock clock = new ManualClock();
    private PresenceServer server;

    @BeforeEach
    void start() throws IOException {
        PresenceSettings settings = new PresenceSettings(
                Duration.ofHours(6),
                Duration.ofSeconds(25),
                GRACE,
                Duration.ofSeconds(30),
                Duration.ofSeconds(15),
                1000,
                50);
        Tokens tokens = Tokens.of(TokenMint.bySecret(), clock);
        server = new PresenceServer(REDIS.url(), "n1", settings, tokens, clock);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void theSocketIsTheTokensUserFromTheStart() {
        try (WireClient adi = client(with(of("adi"), "name", "Adi"))) {
            JsonNode joined = adi.ask("join_room", "{\"roomId\":\"r\"}");
            assertThat(joined.get("userId").stringValue()).isEqualTo("adi");
            assertThat(joined.at("/participants/0/username").stringValue()).isEqualTo("Adi");
            assertThat(joined.at("/ok").booleanValue()).isTrue();
            JsonNode again = adi.ask("join_room", "{\"roomId\":\"r2\",\"userId\":\"adi\",\"username\":\"A.\"}");
            assertThat(again.at("/participants/0/username").stringValue()).isEqualTo("Adi");
            adi.ask("room:update", "{\"roomId\":\"r2\",\"username\":\"A.\"}");
            assertThat(adi.ask("room:participants", "{\"roomId\":\"r2\"}")
                            .at("/participants/0/username")
                            .stringValue())
                    .isEqualTo("Adi");
            for (String event : List.of("join_room", "room:heartbeat", "leave_room")) {
                assertThat(code(adi.ask(event, "{\"roomId\":\"r\",\"userId\":\"budi\"}")))
                        .isEqualTo("forbidden");
            }
            assertThat(REDIS.cli().keys("room:presence:*:budi")).isEmpty();
        }
        try (WireClient budi = client(of("budi"))) {
            assertThat(budi.ask("join_room", "{\"roomId\":\"r3\"}")
                            .at("/participants/0/username")
                            .stringValue())
                    .isEqualTo("budi");
        }
    }

    @Test
    void aTokenSaysWhoseStatusAndWhichRoomsItsUserMayWatch() {
        try (WireClient adi = client(with(with(of("adi"), "watch", List.of("budi")), "rooms", List.of("a")));
                WireClient all = client(with(of("cici"), "watch", "*"));
                WireClient nobody = client(of("dedi"))) {
            assertThat(adi.ask("users:watch", "{\"userIds\":[\"budi\"]}")
                            .get("ok")
                            .asBoolean())
                    .isTrue();
            assertThat(code(adi.ask("users:watch", "{\"userIds\":[\"budi\",\"eve\"]}")))
                    .isEqualTo("forbidden");
            assertThat(code(adi.ask("rooms:watch", "{\"roomIds\":[\"a\",\"b\"]}")))
                    .isEqualTo("forbidden");
            assertThat(all.ask("users:watch", "{\"userIds\":[\"eve\"]}")
                            .get("ok")
                            .asBoolean())
                    .isTrue();
            assertThat(code(nobody.ask("users:watch", "{\"userIds\":[\"budi\"]}")))
                    .isEqualTo("forbidden");
            assertThat(nobody.ask("users:watch", "{\"userIds\":[]}").get("ok").asBoolean())
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", "{\"userId\":\"adi\"}", "{\"token\":null}", "{\"token\":7}", "{\"token\":\"x\"}"})
    void withoutAValidTokenNobodyConnects(String auth) {
        try (WireClient nobody = new WireClient(server.port, auth)) {
            assertThat(Objects.requireNonNull(nobody.refused()).toString())
                    .isEqualTo("{\"message\":\"unauthenticated\",\"data\":{\"code\":\"unauthenticated\"}}");
        }
    }

    @Test
    void aHandshakeThatNamesAnotherUserIsForbidden() {
        String token = hs256(of("adi"));
        try (WireClient other = new WireClient(server.port, "{\"token\":\"" + token + "\",\"userId\":\"budi\"}")) {
            assertThat(Objects.requireNonNull(other.refused()).get("message").stringValue())
                    .isEqualTo("forbidden");
        }
        try (WireClient same = new WireClient(server.port, "{\"token\":\"" + token + "\",\"userId\":\"adi\"}")) {
            assertThat(same.refused()).isNull();
        }
    }

    @Test
    void a31_aTokenForOneRoomIsForbiddenInAnotherOnEveryEvent() {
        try (WireClient adi = client(with(of("adi"), "rooms", List.of("a", 7)));
                WireClient nowhere = client(with(of("budi"), "rooms", List.of()))) {
            for (String event : ROOM_EVENTS) {
                assertThat(code(adi.ask(event, "{\"roomId\":\"b\"}"))).as(event).isEqualTo("forbidden");
                assertThat(code(nowhere.ask(event, "{\"roomId\":\"a\"}")))
                        .as(event)
                        .isEqualTo("forbidden");
                adi.emit(event, "{\"roomId\":\"b\"}");
                assertThat(adi.heard("room:error").get("code").stringValue()).isEqualTo("forbidden");
            }
            assertThat(code(adi.ask("unread", "{\"roomIds\":[\"a\",\"b\"]}"))).isEqualTo("forbidden");
            assertThat(adi.all("room:force-leave")).isEmpty();
            assertThat(REDIS.cli().keys("room:presence:*")).isEmpty();
            assertThat(REDIS.cli().get("user:adi:active_room")).isNull();
            for (String event : ROOM_EVENTS) {
                assertThat(adi.ask(event, "{\"roomId\":\"a\"}").at("/ok").booleanValue())
                        .as(event)
                        .isTrue();
            }
            assertThat(adi.ask("join_room", "{\"roomId\":7}").at("/ok").booleanValue())
                    .isTrue();
        }
    }

    @Test
    void a31_messagesInRoomsThatTheTokenDoesNotPermitAreNotSent() throws Exception {
        try (WireClient adi = client(with(of("adi"), "rooms", List.of("a")))) {
            for (String room : List.of("b", "a")) {
                server.users
                        .message(new Message(new RoomId(room), new UserId("budi"), List.of(new UserId("adi")), null))
                        .toCompletableFuture()
                        .get(30, TimeUnit.SECONDS);
            }
            assertThat(adi.heard("notification").get("roomId").stringValue()).isEqualTo("a");
            assertThat(adi.heard("room:unread").get("roomId").stringValue()).isEqualTo("a");
        }
    }

    @Test
    void a29_whenTheTokenExpiresTheSocketIsClosed() {
        try (WireClient adi = client(of("adi"))) {
            adi.ask("join_room", "{\"roomId\":\"r\"}");
            clock.pass(TOKEN_LIFE.plus(SKEW).minusSeconds(1));
            assertThat(adi.ask("room:heartbeat", "{\"roomId\":\"r\"}").at("/ok").booleanValue())
                    .as("within the allowed clock skew")
                    .isTrue();
            clock.pass(Duration.ofSeconds(1));
            JsonNode told = adi.heard("room:error");
            assertThat(told.get("code").stringValue()).isEqualTo("unauthenticated");
            assertThat(told.get("event").stringValue()).isEqualTo("auth:refresh");
            await().until(adi::isClosed);
            assertThat(adi.isDisconnected())
                    .as("no Socket.IO disconnect, so the client reconnects with a new token")
                    .isFalse();
            await().until(() -> inGrace("r", "adi"));
        }
    }

    @Test
    void a29_aPausedPhoneWhoseTokenExpiresStaysAwayInItsRoom() {
        try (WireClient watcher =
                        client(with(of("watcher"), "exp", clock.instant().getEpochSecond() + 7200));
                WireClient phone = client(of("adi"))) {
            watcher.ask("join_room", "{\"roomId\":\"r\"}");
            phone.ask("join_room", "{\"roomId\":\"r\"}");
            phone.ask("room:pause", "{}");
            clock.pass(TOKEN_LIFE.plus(SKEW));
            await().until(phone::isClosed);
            await().until(() -> REDIS.cli().pttl("room:presence:r:adi")
                    <= Duration.ofMinutes(30).toMillis());
            assertThat(inGrace("r", "adi")).isFalse();
            assertThat(watcher.ask("room:participants", "{\"roomId\":\"r\"}").findValuesAsString("state"))
                    .containsExactlyInAnyOrder("active", "away");
        }
    }

    @Test
    void a31_aNewTokenEndsTheWatchOfRoomsThatItDoesNotPermit() {
        try (WireClient adi = client(with(of("adi"), "rooms", List.of("a", "b")));
                WireClient budi = client(of("budi"))) {
            adi.ask("rooms:watch", "{\"roomIds\":[\"a\",\"b\"]}");
            adi.ask("auth:refresh", token(with(of("adi"), "rooms", List.of("b"))));
            assertThat(code(adi.ask("rooms:watch", "{\"roomIds\":[\"a\"]}"))).isEqualTo("forbidden");
            budi.ask("join_room", "{\"roomId\":\"a\"}");
            budi.ask("join_room", "{\"roomId\":\"b\"}");
            assertThat(adi.heard("rooms:counts").at("/counts").toString()).isEqualTo("{\"b\":1}");
        }
    }

    @Test
    void a29_aTokenThatIsRenewedInTimeKeepsTheSocketOpen() {
        try (WireClient adi = client(of("adi"));
                WireClient other = client(of("other"))) {
            clock.pass(Duration.ofMinutes(5));
            JsonNode answer = adi.ask("auth:refresh", token(of("adi")));
            assertThat(answer.propertyNames()).containsExactly("ok", "expiresAt");
            assertThat(answer.get("expiresAt").longValue())
                    .isEqualTo(clock.instant().plus(TOKEN_LIFE).toEpochMilli());
            clock.pass(Duration.ofMinutes(6));
            // The other socket expires with the first token: once it is closed, all expired sockets are.
            await().until(other::isClosed);
            assertThat(adi.ask("join_room", "{\"roomId\":\"r\"}").at("/ok").booleanValue())
                    .isTrue();
            clock.pass(Duration.ofMinutes(5));
            await().until(adi::isClosed);
        }
    }

    @Test
    void aRefreshThatIsRefusedChangesNothing() {
        try (WireClient adi = client(with(of("adi"), "rooms", List.of("a")))) {
            assertThat(code(adi.ask("auth:refresh", token(of("budi"))))).isEqualTo("forbidden");
            assertThat(code(adi.ask("auth:refresh", "{\"token\":\"x\"}"))).isEqualTo("unauthenticated");
            assertThat(code(adi.ask("auth:refresh", "{}"))).isEqualTo("invalid_argument");
            assertThat(code(adi.ask("auth:refresh", "7"))).isEqualTo("invalid_argument");
            adi.emit("auth:refresh", "{\"token\":\"x\"}");
            assertThat(adi.heard("room:error").get("code").stringValue()).isEqualTo("unauthenticated");
            assertThat(adi.ask("join_room", "{\"roomId\":\"a\"}").at("/userId").stringValue())
                    .isEqualTo("adi");
            assertThat(code(adi.ask("join_room", "{\"roomId\":\"b\"}"))).isEqualTo("forbidden");
            clock.pass(TOKEN_LIFE.plus(SKEW));
            await().until(adi::isClosed);
        }
    }

    @Test
    void a31_aNewTokenRemovesTheUserFromRoomsItDoesNotPermit() {
        try (WireClient watcher = client(of("watcher"));
                WireClient adi = client(with(of("adi"), "rooms", List.of("a", "b")))) {
            watcher.ask("join_room", "{\"roomId\":\"b\"}");
            adi.ask("join_room", "{\"roomId\":\"a\"}");
            adi.ask("join_room", "{\"roomId\":\"b\"}");
            // A join and a leave in the same message cancel each other out.
            await().until(() -> joined(watcher, "adi") == 1);
            adi.ask("auth:refresh", token(with(of("adi"), "rooms", List.of("a", "c"))));
            JsonNode out = adi.heard("room:force-leave");
            assertThat(out.get("roomId").stringValue()).isEqualTo("b");
            assertThat(out.get("reason").stringValue()).isEqualTo("kicked");
            await().until(() -> watcher.all("room:presence").stream()
                    .anyMatch(news -> news.at("/left/0/userId").asString("").equals("adi")
                            && news.at("/left/0/reason").asString("").equals("kicked")));
            assertThat(REDIS.cli().get("room:presence:b:adi")).isNull();
            assertThat(code(adi.ask("room:heartbeat", "{\"roomId\":\"b\"}"))).isEqualTo("forbidden");
            assertThat(adi.ask("room:heartbeat", "{\"roomId\":\"a\"}").at("/ok").booleanValue())
                    .isTrue();
            assertThat(adi.ask("join_room", "{\"roomId\":\"c\"}").at("/ok").booleanValue())
                    .isTrue();

            JsonNode last = adi.ask("auth:refresh", token(with(of("adi"), "rooms", List.of())));
            assertThat(last.at("/ok").booleanValue())
                    .as("answered, then disconnected")
                    .isTrue();
            await().until(adi::isDisconnected);
            await().until(() -> REDIS.cli().keys("room:presence:*:adi").isEmpty());
        }
    }

    @Test
    void a31_aNewTokenEndsTheFocusOnARoomItDoesNotPermit() {
        try (WireClient adi = client(with(of("adi"), "rooms", List.of("a", "b")))) {
            adi.ask("room:focus", "{\"roomId\":\"b\"}");
            assertThat(REDIS.cli().get("user:adi:active_room")).isEqualTo("b");
            adi.ask("auth:refresh", token(with(of("adi"), "rooms", List.of("a"))));
            await().until(() -> REDIS.cli().get("user:adi:active_room") == null);
        }
    }

    @Test
    void aClientThatReturnsWithinTheGracePeriodIsRestoredUnseen() {
        try (WireClient watcher = client(of("watcher"))) {
            watcher.ask("join_room", "{\"roomId\":\"r\"}");
            WireClient before = client(with(of("adi"), "name", "Adi"));
            before.ask("join_room", "{\"roomId\":\"r\"}");
            before.close();
            await().until(() -> inGrace("r", "adi"));

            try (WireClient after = client(of("adi"));
                    WireClient budi = client(of("budi"))) {
                JsonNode restored = after.heard("room:joined");
                assertThat(restored.get("restored").booleanValue()).isTrue();
                assertThat(restored.get("roomId").stringValue()).isEqualTo("r");
                assertThat(restored.get("userId").stringValue()).isEqualTo("adi");
                assertThat(restored.get("viewerCount").intValue()).isEqualTo(2);
                assertThat(restored.findValuesAsString("username")).contains("Adi");
                assertThat(REDIS.cli().get("room:presence:r:adi")).isEqualTo(after.id());
                assertThat(REDIS.cli().get("user:adi:active_room")).isNull();
                assertThat(after.ask("room:heartbeat", "{\"roomId\":\"r\"}")
                                .at("/ok")
                                .booleanValue())
                        .isTrue();
                // The watcher hears events in order, so it has heard everything before this one.
                budi.ask("join_room", "{\"roomId\":\"r\"}");
                await().until(() -> joined(watcher, "budi") == 1);
                assertThat(joined(watcher, "adi")).isEqualTo(1);
                assertThat(watcher.all("room:presence"))
                        .allSatisfy(news -> assertThat(news.get("left")).isEmpty());
            }
        }
    }

    @Test
    void a31_aReturningUserIsRestoredOnlyToRoomsThatTheNewTokenPermits() {
        WireClient before = client(of("adi"));
        before.ask("join_room", "{\"roomId\":\"a\"}");
        before.ask("join_room", "{\"roomId\":\"b\"}");
        before.close();
        await().until(() -> inGrace("a", "adi") && inGrace("b", "adi"));

        try (WireClient after = client(with(of("adi"), "rooms", List.of("b")))) {
            assertThat(after.heard("room:joined").get("roomId").stringValue()).isEqualTo("b");
            after.ask("room:heartbeat", "{\"roomId\":\"b\"}");
            assertThat(after.all("room:joined")).isEmpty();
            assertThat(REDIS.cli().get("room:presence:a:adi")).isEqualTo(before.id());
        }
    }

    @Test
    void clientsMayChooseTheirNamesIfTheOperatorSaysSo() throws Exception {
        try (ApiServer trusting =
                        ApiServer.start(REDIS.url(), "--jwt-secret=" + TokenMint.SECRET, "--names-from-clients");
                WireClient adi = new WireClient(
                        trusting.port(), token(with(claims("adi", Instant.now().plusSeconds(600)), "name", "Adi")))) {
            assertThat(adi.ask("join_room", "{\"roomId\":\"own\",\"username\":\"A.\"}")
                            .at("/participants/0/username")
                            .stringValue())
                    .isEqualTo("A.");
            assertThat(adi.ask("join_room", "{\"roomId\":\"tokens\"}")
                            .at("/participants/0/username")
                            .stringValue())
                    .isEqualTo("Adi");
            adi.ask("room:update", "{\"roomId\":\"tokens\",\"username\":\"Aa\"}");
            assertThat(adi.ask("room:participants", "{\"roomId\":\"tokens\"}")
                            .at("/participants/0/username")
                            .stringValue())
                    .isEqualTo("Aa");
            assertThat(code(adi.ask("join_room", "{\"roomId\":\"own\",\"userId\":\"budi\"}")))
                    .isEqualTo("forbidden");
        }
    }

    @Test
    void aRefreshedTokenThatWatchesFewerUsersIsNotOvertakenByAnEarlierWatch() {
        try (WireClient adi = client(with(of("adi"), "watch", "*"))) {
            // The watch waits behind the steps before it; the token does not.
            for (int i = 0; i < 20; i++) {
                adi.emit("join_room", "{\"roomId\":\"w" + i + "\"}");
            }
            adi.emit("users:watch", "{\"userIds\":[\"eve\",\"budi\"]}");
            adi.ask("auth:refresh", token(with(of("adi"), "watch", List.of("budi"))));
            adi.heard("users:status");
            // Answered after the restriction, because a socket's steps are taken in order.
            adi.ask("room:heartbeat", "{\"roomId\":\"w0\"}");
            try (WireClient eve = client(of("eve"));
                    WireClient budi = client(of("budi"))) {
                assertThat(List.of(eve.id(), budi.id())).doesNotContain("");
                assertThat(adi.heard("users:status").path("users").toString())
                        .contains("budi")
                        .doesNotContain("eve");
            }
        }
    }

    @Test
    void openModeHasNoTokens() throws Exception {
        PresenceSettings settings =
                new PresenceSettings(Duration.ofHours(6), GRACE, GRACE, GRACE, Duration.ofSeconds(15), 1000, 50);
        try (PresenceServer open = new PresenceServer(REDIS.url(), "n2", settings);
                WireClient adi = new WireClient(open.port, "{\"userId\":\"adi\",\"token\":\"any\"}")) {
            assertThat(code(adi.ask("auth:refresh", token(of("adi"))))).isEqualTo("not_found");
        }
    }

    private Map<String, Object> of(String user) {
        return claims(user, clock.instant().plus(TOKEN_LIFE));
    }

    private WireClient client(Map<String, Object> claims) {
        return new WireClient(server.port, token(claims));
    }

    private static String token(Map<String, Object> claims) {
        return "{\"token\":\"" + hs256(claims) + "\"}";
    }

    private static boolean inGrace(String room, String user) {
        long left = REDIS.cli().pttl("room:presence:" + room + ":" + user);
        return left > 0 && left <= GRACE.toMillis();
    }

    private static long joined(WireClient watcher, String user) {
        return watcher.all("room:presence").stream()
                .flatMap(news -> news.get("joined").valueStream())
                .filter(participant -> participant.get("userId").stringValue().equals(user))
                .count();
    }

    private static String code(@Nullable JsonNode answer) {
        return Objects.requireNonNull(answer).at("/error/code").asString();
    }
}
