package io.hadir.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.OnApiServer;
import io.hadir.server.support.ApiClient.Answer;
import io.hadir.testing.Logs;
import io.hadir.testing.WireClient;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A ban keeps a user out of a room on every server until it ends. */
class BansApiIT extends OnApiServer {
    private static final String JOIN = "{\"roomId\":\"r\"}";
    private static final String BAN = "/api/v1/rooms/r/bans/ana";

    private static String until(int seconds) {
        return "{\"until\":" + Instant.now().plusSeconds(seconds).toEpochMilli() + "}";
    }

    private WireClient connect(int port, String user) {
        return new WireClient(port, "{\"userId\":\"" + user + "\"}");
    }

    @Test
    void a56_aBannedUserStaysOutOnEveryServerUntilTheBanEnds() throws Exception {
        try (ApiServer second = ApiServer.start(redis.url());
                WireClient ana = join("ana", "r")) {
            Answer kicked = api.delete("/api/v1/rooms/r/participants/ana?banSeconds=3600&message=Enough");
            long until = kicked.json().get("until").asLong();
            assertThat(kicked.json().toString())
                    .isEqualTo("{\"roomId\":\"r\",\"userId\":\"ana\",\"until\":" + until + ",\"message\":\"Enough\"}");
            assertThat(until - System.currentTimeMillis()).isBetween(3_590_000L, 3_600_000L);
            JsonNode told = ana.heard("room:force-leave");
            assertThat(told.get("reason").asString()).isEqualTo("kicked");
            assertThat(told.get("message").asString()).isEqualTo("Enough");

            for (int port : List.of(server.port(), second.port())) {
                try (WireClient again = connect(port, "ana")) {
                    JsonNode error = again.ask("join_room", JOIN).get("error");
                    assertThat(error.toString())
                            .isEqualTo("{\"code\":\"banned\",\"message\":\"Enough\",\"until\":" + until + "}");
                    assertThat(again.ask("join_room", "{\"roomId\":\"other\"}")
                                    .get("ok")
                                    .asBoolean())
                            .isTrue();
                }
            }
            assertThat(redis.cli().exists("room:presence:r:ana")).isZero();
            assertThat(redis.cli().pttl("hadir:room:r:bans:ana")).isBetween(1L, 3_600_000L);
            assertThat(redis.cli().pttl("hadir:room:r:bans")).isBetween(1L, 3_600_000L);

            redis.cli().pexpire("hadir:room:r:bans:ana", 1);
            await().until(() -> redis.cli().exists("hadir:room:r:bans:ana") == 0);
            try (WireClient later = join("ana", "r")) {
                assertThat(later.isDisconnected()).isFalse();
            }
        }
    }

    @Test
    void a56_aJoinThatRacesWithABanEndsOutsideTheRoom() throws Exception {
        try (ApiServer second = ApiServer.start(redis.url());
                WireClient one = connect(server.port(), "ana");
                WireClient two = connect(second.port(), "ana")) {
            // A socket that is kicked from its only room is disconnected.
            one.ask("join_room", "{\"roomId\":\"home\"}");
            two.ask("join_room", "{\"roomId\":\"home\"}");
            for (int round = 0; round < 40; round++) {
                String room = "race" + round;
                String join = "{\"roomId\":\"" + room + "\"}";
                List<CompletableFuture<JsonNode>> joins = new ArrayList<>();
                for (WireClient client : round % 2 == 0 ? List.of(one, two) : List.of(two, one)) {
                    joins.add(CompletableFuture.supplyAsync(() -> client.ask("join_room", join)));
                }
                assertThat(api.delete("/api/v1/rooms/" + room + "/participants/ana?banSeconds=60")
                                .status())
                        .isEqualTo(200);
                joins.forEach(CompletableFuture::join);
                assertThat(redis.cli().exists("room:presence:" + room + ":ana")).isZero();
                assertThat(one.ask("join_room", join).at("/error/code").asString())
                        .isEqualTo("banned");
            }
        }
    }

    @Test
    void banningAParticipantKicksThem() {
        try (WireClient budi = join("budi", "r");
                WireClient ana = join("ana", "r")) {
            // A join and a leave in the same message cancel each other out.
            await().until(
                            () -> budi.heard("room:presence")
                                    .at("/joined/0/userId")
                                    .asString(),
                            "ana"::equals);
            Answer banned = api.put(BAN, until(60));
            assertThat(banned.json().get("message").isNull()).isTrue();
            assertThat(ana.heard("room:force-leave").get("message").asString())
                    .isEqualTo("You have been removed from the chatroom");
            await().until(
                            () -> budi.heard("room:presence").get("left").toString(),
                            "[{\"userId\":\"ana\",\"reason\":\"kicked\"}]"::equals);
            await().until(ana::isDisconnected);
            try (WireClient again = connect(server.port(), "ana")) {
                assertThat(again.ask("join_room", JOIN).at("/error/message").asString())
                        .isEqualTo("You are banned from the chatroom");
                again.emit("join_room", JOIN);
                JsonNode error = again.heard("room:error");
                assertThat(error.get("code").asString()).isEqualTo("banned");
                assertThat(error.get("until").asLong())
                        .isEqualTo(banned.json().get("until").asLong());
            }
        }
    }

    @Test
    void anAbsentUserCanBeBannedAndMayJoinOnceUnbanned() {
        assertThat(api.delete("/api/v1/rooms/r/participants/ana").status()).isEqualTo(404);
        assertThat(api.delete("/api/v1/rooms/r/participants/ana?banSeconds=60").status())
                .isEqualTo(200);
        assertThat(api.delete(BAN).json().toString()).isEqualTo("{\"roomId\":\"r\",\"userId\":\"ana\"}");
        Answer again = api.delete(BAN);
        assertThat(again.status()).isEqualTo(404);
        assertThat(again.code()).isEqualTo("not_found");
        assertThat(redis.cli().keys("hadir:room:r:bans*")).isEmpty();
        join("ana", "r").close();
    }

    @Test
    void theLogSaysWhoKickedBannedAndChangedSettings() {
        try (Logs logs = Logs.listen();
                WireClient ana = join("ana", "r")) {
            api.delete("/api/v1/rooms/r/participants/ana?message=Secret");
            api.delete("/api/v1/rooms/r/participants/ana");
            api.delete("/api/v1/rooms/r/participants/ana?banSeconds=60");
            api.put(BAN, "{\"until\":" + Instant.now().plusSeconds(60).toEpochMilli() + ",\"message\":\"Secret\"}");
            api.delete(BAN);
            api.put("/api/v1/rooms/r/settings", "{\"maxParticipants\":3}");
            String caller = " (key: api-key, from: 127.0.0.1)";
            assertThat(logs.all().stream()
                            .filter(line -> line.contains("(key: "))
                            .map(line -> line.replaceAll("until \\S+", "until …")))
                    .containsExactly(
                            "INFO Kicked user ana from room r" + caller,
                            "INFO Kicked user ana from room r and banned them for 60 s" + caller,
                            "INFO Banned user ana from room r until …" + caller,
                            "INFO Unbanned user ana from room r" + caller,
                            "INFO Changed the settings of room r" + caller);
            assertThat(logs.all()).noneMatch(line -> line.contains("Secret"));
            assertThat(ana.id()).isNotEmpty();
        }
    }

    @Test
    void bansAreListedInPagesOrderedByTheirEnd() {
        assertThat(api.get("/api/v1/rooms/r/bans").json().toString())
                .isEqualTo("{\"roomId\":\"r\",\"bans\":[],\"nextCursor\":null}");
        long first = Instant.now().plusSeconds(60).toEpochMilli();
        for (String user : List.of("dewi", "budi", "cici", "ana")) {
            long until = user.equals("ana") ? first + 1 : first;
            api.put("/api/v1/rooms/r/bans/" + user, "{\"until\":" + until + ",\"message\":\"Bye " + user + "\"}");
        }
        JsonNode page = api.get("/api/v1/rooms/r/bans?limit=3").json();
        assertThat(texts(page.get("bans"), "userId")).containsExactly("budi", "cici", "dewi");
        assertThat(page.at("/bans/0").toString())
                .isEqualTo("{\"userId\":\"budi\",\"until\":" + first + ",\"message\":\"Bye budi\"}");
        JsonNode last = api.get("/api/v1/rooms/r/bans?limit=3&cursor="
                        + page.get("nextCursor").asString())
                .json();
        assertThat(texts(last.get("bans"), "userId")).containsExactly("ana");
        assertThat(last.get("nextCursor").isNull()).isTrue();

        redis.cli().del("hadir:room:r:bans:cici");
        assertThat(texts(api.get("/api/v1/rooms/r/bans").json().get("bans"), "userId"))
                .containsExactly("budi", "dewi", "ana");
        api.put("/api/v1/rooms/r/bans/budi", until(120));
        assertThat(texts(api.get("/api/v1/rooms/r/bans").json().get("bans"), "userId"))
                .containsExactly("dewi", "ana", "budi");
        assertThat(redis.cli().pttl("hadir:room:r:bans")).isBetween(60_000L, 120_000L);
    }

    @Test
    void bansPerRoomAreLimitedAndEndedOnesDoNotCount() {
        long until = Instant.now().plusSeconds(600).toEpochMilli();
        redis.cli()
                .zadd(
                        "hadir:room:r:bans",
                        IntStream.range(0, 10_000)
                                .boxed()
                                .flatMap(i -> Stream.<Object>of((double) until, "user" + i))
                                .toArray());
        Answer full = api.put(BAN, until(60));
        assertThat(full.status()).isEqualTo(429);
        assertThat(full.code()).isEqualTo("limit_exceeded");
        assertThat(redis.cli().exists("hadir:room:r:bans:ana")).isZero();
        assertThat(api.put("/api/v1/rooms/r/bans/user7", until(60)).status()).isEqualTo(200);

        redis.cli().zadd("hadir:room:r:bans", 1, "user8");
        assertThat(api.put(BAN, until(60)).status()).isEqualTo(200);
        assertThat(redis.cli().zcard("hadir:room:r:bans")).isEqualTo(10_000);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"until\":null}",
                "{\"until\":\"tomorrow\"}",
                "{\"until\":1.5e12}",
                "{\"until\":-1}",
                "{\"until\":1}",
                "{\"until\":9007199254740991}",
                "{\"until\":99999999999999999999}",
                "[]"
            })
    void a46_aBanWithABadEndIsRefused(String body) {
        Answer refused = api.put(BAN, body);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.field()).isEqualTo("until");
        assertThat(redis.cli().keys("*ban*")).isEmpty();
    }

    @Test
    void a46_aBanLastsAtMostThirtyDays() {
        assertThat(api.put(BAN, until(2_592_010)).field()).isEqualTo("until");
        assertThat(api.put(BAN, until(2_591_990)).status()).isEqualTo(200);
        for (String seconds : List.of("0", "-1", "2592001", "1.5", "", "forever")) {
            Answer refused = api.delete("/api/v1/rooms/r/participants/ana?banSeconds=" + seconds);
            assertThat(refused.status()).as(seconds).isEqualTo(400);
            assertThat(refused.field()).isEqualTo("banSeconds");
        }
        assertThat(api.delete("/api/v1/rooms/r/participants/ana?banSeconds=2592000")
                        .status())
                .isEqualTo(200);
    }

    @Test
    void a46_aMessageThatCannotBeShownIsRefused() {
        String until = until(60);
        for (String message :
                List.of("\"\"", "\" \"", "\"a\\nb\"", "\"\\u0085\"", "7", "\"" + "x".repeat(501) + "\"")) {
            Answer refused = api.put(BAN, until.replace("}", ",\"message\":" + message + "}"));
            assertThat(refused.status()).as(message).isEqualTo(400);
            assertThat(refused.field()).isEqualTo("message");
        }
    }
}
