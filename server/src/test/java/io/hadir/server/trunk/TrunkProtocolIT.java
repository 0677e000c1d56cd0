package io.hadir.server.trunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.TestRedis;
import io.lettuce.core.SetArgs;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The trunk protocol against a whole server. */
class TrunkProtocolIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static ApiServer server;

    @BeforeAll
    static void start() throws IOException {
        server = ApiServer.start(
                REDIS.url(), AppTrunk.FLAG, "--grace-seconds=2", "--sockets-per-user=2", "--max-payload-bytes=1000000");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static AppTrunk hello(String process) {
        return AppTrunk.hello(server.port(), process, 1);
    }

    private static String code(JsonNode answer) {
        return answer.path("error").path("code").asString();
    }

    @Test
    void aHelloIsAnsweredWithTheLimits() {
        try (AppTrunk app = hello("limits")) {
            JsonNode welcome = app.heard("welcome").path(1);

            assertThat(welcome.path("version").asInt()).isEqualTo(1);
            assertThat(welcome.path("nodeId").asString()).isNotEmpty();
            assertThat(welcome.path("silenceMs").asLong())
                    .isEqualTo(3 * welcome.path("pingMs").asLong());
            assertThat(welcome.path("maxFrameBytes").asInt()).isEqualTo(1 << 20);
            assertThat(welcome.path("maxPayloadBytes").asInt())
                    .as("a payload of any size that is allowed fits into a frame")
                    .isEqualTo(1 << 19);
        }
    }

    @Test
    void aSocketBehindATrunkJoinsLikeAnyOther() {
        try (AppTrunk app = hello("join").open(1, "adi")) {
            JsonNode joined = app.join(1, "r");

            assertThat(joined.path("ok").asBoolean()).as("%s", joined).isTrue();
            assertThat(joined.path("userId").asString()).isEqualTo("adi");
            assertThat(REDIS.cli().get("room:presence:r:adi"))
                    .isEqualTo(joined.path("socketId").asString());
            assertThat(REDIS.cli().get("user:adi:online")).isEqualTo("true");
            assertThat(app.members("r")).containsExactly(1L);
            assertThat(app.heartbeat(1, "r").path("expiresAt").asLong()).isPositive();

            assertThat(app.ask(1, "leave_room", AppTrunk.room("r"))
                            .join()
                            .path("ok")
                            .asBoolean())
                    .isTrue();
            assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero();
            assertThat(app.members("r")).isEmpty();
        }
    }

    @Test
    void aChangeCrossesTheTrunkOnceForAllSockets() {
        try (AppTrunk app = hello("once")) {
            IntStream.rangeClosed(1, 50).forEach(n -> app.open(n, "u" + n));
            IntStream.rangeClosed(1, 50).forEach(n -> app.join(n, "crowd"));
            await().until(() -> app.changes("crowd").contains("+u50"));
            app.forget();

            app.open(99, "late").join(99, "crowd");

            await().until(() -> app.changes("crowd").contains("+late"));
            assertThat(app.all("room")).hasSize(1);
            assertThat(app.members("crowd")).hasSize(51);
        }
    }

    @Test
    void anEventWithoutACallbackIsAnsweredByAnEvent() {
        try (AppTrunk app = hello("plain").open(1, "adi")) {
            app.send("[\"event\",1,null,\"join_room\",{\"roomId\":\"r\"}]");
            await().until(() -> app.emitted(1, "room:joined").size() == 1);

            app.send("[\"event\",1,null,\"room:heartbeat\",{\"roomId\":\"\"}]");
            await().until(() -> app.emitted(1, "room:error").size() == 1);
            assertThat(app.emitted(1, "room:error").get(0).path("code").asString())
                    .isEqualTo("invalid_argument");
        }
    }

    @Test
    void heartbeatsComeInBatches() {
        try (AppTrunk app = hello("beats").open(1, "adi").open(2, "budi")) {
            app.join(1, "r");
            app.join(2, "r");
            REDIS.cli().expire("room:presence:r:adi", 100);
            REDIS.cli().expire("room:presence:r:budi", 100);
            CompletableFuture<JsonNode> first = app.expect(901);
            CompletableFuture<JsonNode> second = app.expect(902);

            app.send("[\"beats\",[[1,901,\"r\"],[2,902,\"r\"]]]");

            assertThat(first.join().path("ok").asBoolean()).isTrue();
            assertThat(second.join().path("ok").asBoolean()).isTrue();
            assertThat(REDIS.cli().ttl("room:presence:r:adi")).isGreaterThan(1000);
            assertThat(REDIS.cli().ttl("room:presence:r:budi")).isGreaterThan(1000);
        }
    }

    @Test
    void theAppSaysWhoTheUserIsAndNobodyElseCanBe() {
        try (AppTrunk app = hello("who").open(1, "adi")) {
            app.send("[\"open\",2,{}]");

            assertThat(code(app.ask(1, "join_room", "{\"roomId\":\"r\",\"userId\":\"eve\"}")
                            .join()))
                    .isEqualTo("forbidden");
            assertThat(code(app.ask(2, "join_room", "{\"roomId\":\"r\"}").join()))
                    .isEqualTo("unauthenticated");
            assertThat(code(app.ask(2, "join_room", "{\"roomId\":\"r\",\"userId\":\"eve\"}")
                            .join()))
                    .isEqualTo("forbidden");
            assertThat(app.list(2, "r")).isEmpty();
            assertThat(code(app.ask(1, "auth:refresh", "{\"token\":\"x\"}").join()))
                    .isEqualTo("not_found");
        }
    }

    @Test
    void roomsRestrictAndTheUsernameIsTheDefault() {
        try (AppTrunk app = hello("rooms")) {
            app.send("[\"open\",1,{\"userId\":\"adi\",\"username\":\"Adi\",\"rooms\":[\"a\",7]}]");

            assertThat(app.join(1, "a")
                            .path("participants")
                            .path(0)
                            .path("username")
                            .asString())
                    .isEqualTo("Adi");
            assertThat(app.join(1, "7").path("ok").asBoolean()).isTrue();
            assertThat(code(app.join(1, "b"))).isEqualTo("forbidden");
        }
    }

    @Test
    void aUserWithTooManySocketsIsRefused() {
        try (AppTrunk app = hello("many").open(1, "adi").open(2, "adi").open(3, "adi")) {
            JsonNode refused = app.heard("refused");

            assertThat(refused.path(1).asLong()).isEqualTo(3);
            assertThat(refused.path(2).path("code").asString()).isEqualTo("limit_exceeded");
            assertThat(code(app.join(3, "r"))).isEqualTo("presence_unavailable");
            app.gone(1).open(4, "adi");
            assertThat(app.join(4, "r").path("ok").asBoolean()).isTrue();
        }
    }

    @Test
    void aSocketThatIsGoneGetsTheGracePeriodAndARefreshRestoresIt() {
        try (AppTrunk app = hello("grace").open(1, "adi").open(2, "budi")) {
            app.join(1, "r");
            app.join(2, "r");
            app.gone(1);
            await().until(() -> REDIS.cli().pttl("room:presence:r:adi") <= 2000);
            app.open(3, "adi");
            await().until(() -> app.emitted(3, "room:joined").size() == 1);
            assertThat(app.emitted(3, "room:joined").get(0).path("restored").asBoolean())
                    .isTrue();
            app.heartbeat(3, "r");

            app.gone(3);
            await().until(() -> app.changes("r").contains("-adi disconnected"));
            assertThat(app.members("r")).containsExactly(2L);
        }
    }

    @Test
    void aTrunkThatEndsGivesItsSocketsTheGracePeriod() {
        AppTrunk app = hello("dies").open(1, "adi");
        app.join(1, "r");
        app.close();
        await().until(() -> REDIS.cli().pttl("room:presence:r:adi") <= 2000);
        await().until(() -> REDIS.cli().exists("room:presence:r:adi") == 0);
        await().until(() -> REDIS.cli().exists("user:adi:online") == 0);
    }

    @Test
    void aLaterTrunkTakesOverWithoutAnyoneNoticing() {
        AppTrunk old = AppTrunk.hello(server.port(), "moves", 7).open(1, "adi").open(2, "budi");
        old.join(1, "r");
        old.ask(2, "join_room", "{\"roomId\":\"r\",\"username\":\"Budi\"}").join();
        try (AppTrunk watcher = hello("watches").open(1, "wati")) {
            watcher.join(1, "r");
            await().until(() -> watcher.changes("r").contains("+wati"));
            watcher.forget();

            try (AppTrunk app = AppTrunk.hello(server.port(), "moves", 8)) {
                app.reopen(1, "adi", "r").reopen(2, "budi", "r");
                await().until(() -> app.members("r").equals(Set.of(1L, 2L)));
                assertThat(old.closeCode()).isEqualTo(4409);
                assertThat(old.heard("error").path(1).path("code").asString()).isEqualTo("superseded");

                // Everyone who missed a change lists again.
                await().until(() -> app.emitted(1, "room:presence").size() == 1);
                JsonNode still = app.emitted(1, "room:presence").get(0);
                assertThat(still.path("fromRevision").asLong())
                        .isEqualTo(still.path("revision").asLong());
                assertThat(app.emitted(1, "room:joined")).isEmpty();
                assertThat(watcher.list(1, "r")).containsExactlyInAnyOrder("adi", "budi", "wati");
                assertThat(app.heartbeat(1, "r").path("ok").asBoolean()).isTrue();
                // Past the grace period of the old sockets.
                await().until(() -> REDIS.cli().ttl("room:presence:r:adi") > 1000);
                REDIS.cli().set("hadir:test:grace", "x", SetArgs.Builder.px(3000));
                await().until(() -> REDIS.cli().exists("hadir:test:grace") == 0);
                assertThat(watcher.changes("r")).isEmpty();
                assertThat(watcher.list(1, "r")).hasSize(3);
                assertThat(watcher.ask(1, "room:participants", AppTrunk.room("r"))
                                .join()
                                .toString())
                        .contains("\"Budi\"");
            }
        }
    }

    @Test
    void aRoomThatWasOnlyRestoredIsRestoredAgainAfterAMove() {
        try (AppTrunk app = hello("lapse")) {
            try (AppTrunk old = hello("lapse-old").open(1, "adi")) {
                old.join(1, "r");
                app.send("[\"open\",1,{\"userId\":\"adi\",\"in\":[{\"roomId\":\"r\",\"restored\":true}]}]");
                await().until(() -> app.members("r").equals(Set.of(1L)));
            }
            app.send("[\"open\",2,{\"userId\":\"eve\",\"in\":[{\"roomId\":\"r\",\"restored\":true}]}]");

            assertThat(app.heartbeat(1, "r").path("ok").asBoolean()).isTrue();
            assertThat(app.list(2, "r")).as("eve was not there").containsExactly("adi");
            assertThat(app.heard("exit").path(1).asLong()).isEqualTo(2);
        }
    }

    @Test
    void aMoveDoesNotCountAgainstTheUsersSockets() {
        try (AppTrunk old =
                AppTrunk.hello(server.port(), "limit", 1).open(1, "adi").open(2, "adi")) {
            old.join(1, "r");
            old.join(2, "r");
            try (AppTrunk other = hello("limit-other")) {
                other.reopen(1, "adi", "r").reopen(2, "adi", "r");
                await().until(() -> other.members("r").size() == 2);
                assertThat(other.all("refused")).isEmpty();
            }
        }
    }

    @Test
    void whoeverWasBannedMeanwhileIsToldAndNotTakenOver() {
        ApiClient api = new ApiClient(server.url(), "X-API-Key", ApiServer.KEY);
        api.put(
                "/api/v1/rooms/r/bans/eve",
                "{\"until\":" + (System.currentTimeMillis() + 600_000) + ",\"message\":\"Out.\"}");
        try (AppTrunk app = hello("banned").reopen(1, "eve", "r")) {
            await().until(() -> app.emitted(1, "room:force-leave").size() == 1);

            JsonNode told = app.emitted(1, "room:force-leave").get(0);
            assertThat(told.path("reason").asString()).isEqualTo("kicked");
            assertThat(told.path("message").asString()).isEqualTo("Out.");
            assertThat(app.heard("exit").path(1).asLong()).isEqualTo(1);
            assertThat(app.heard("close").path(2).asString()).isEqualTo("removed");
        }
    }

    /** A trunk that ends while its only user is in the room, and the `in` of that user. */
    private static String leaveBehind(String process, String user, String... events) {
        try (AppTrunk old = hello(process).open(1, user)) {
            JsonNode joined = old.join(1, "r");
            for (String event : events) {
                old.ask(1, event, AppTrunk.room("r")).join();
            }
            return "[{\"roomId\":\"r\",\"revision\":" + joined.path("revision").asLong() + "}]";
        }
    }

    private static AppTrunk move(String process, String user, String in) {
        AppTrunk app = AppTrunk.hello(server.port(), process, 2);
        app.send("[\"open\",1,{\"userId\":\"" + user + "\",\"in\":" + in + "}]");
        return app;
    }

    @Test
    void aUserWhoWasKickedWhileTheTrunkMovedIsToldAndNotTakenOver() {
        String in = leaveBehind("kicked", "eve");
        ApiClient api = new ApiClient(server.url(), "X-API-Key", ApiServer.KEY);
        api.delete("/api/v1/rooms/r/participants/eve?message=Out.");

        try (AppTrunk app = move("kicked", "eve", in)) {
            await().until(() -> app.emitted(1, "room:force-leave").size() == 1);
            JsonNode told = app.emitted(1, "room:force-leave").get(0);
            assertThat(told.path("reason").asString()).isEqualTo("kicked");
            assertThat(told.path("message").asString()).isEqualTo("Out.");
            assertThat(app.heard("exit").path(1).asLong()).isEqualTo(1);
            assertThat(app.heard("close").path(2).asString()).isEqualTo("removed");
            assertThat(REDIS.cli().exists("room:presence:r:eve")).isZero();

            // There is no ban: the user may come back by themselves, and move then.
            app.open(2, "eve");
            long again = app.join(2, "r").path("revision").asLong();
            app.send("[\"open\",3,{\"userId\":\"eve\",\"in\":[{\"roomId\":\"r\",\"revision\":" + again + "}]}]");
            await().until(() -> app.members("r").equals(Set.of(2L, 3L)));
        }
    }

    @Test
    void aUserWhoWasKickedIsNotTakenOverAlsoIfTheAppDoesNotSayWhenTheyJoined() {
        leaveBehind("unsaid", "eve");
        new ApiClient(server.url(), "X-API-Key", ApiServer.KEY).delete("/api/v1/rooms/r/participants/eve");

        try (AppTrunk app = move("unsaid", "eve", "[{\"roomId\":\"r\"}]")) {
            await().until(() -> app.emitted(1, "room:force-leave").size() == 1);
            assertThat(REDIS.cli().exists("room:presence:r:eve")).isZero();
        }
    }

    /** No join was answered, so only the enter says since when the user is in the room. */
    @Test
    void aUserWhoCameBackByAHeartbeatAndWasKickedIsNotTakenOver() {
        leaveBehind("back", "eve", "room:pause");
        await().until(() -> REDIS.cli().get("room:r:user:eve").contains("\"held\":true"));
        long revision;
        try (AppTrunk app = AppTrunk.hello(server.port(), "back", 2).open(1, "eve")) {
            assertThat(app.heartbeat(1, "r").path("ok").asBoolean()).isTrue();
            revision = app.heard("enter").path(4).asLong();
            assertThat(revision)
                    .isEqualTo(app.ask(1, "room:participants", AppTrunk.room("r"))
                            .join()
                            .path("revision")
                            .asLong());
        }
        String in = "[{\"roomId\":\"r\",\"revision\":" + revision + "}]";
        try (AppTrunk app = AppTrunk.hello(server.port(), "back", 3)) {
            app.send("[\"open\",1,{\"userId\":\"eve\",\"in\":" + in + "}]");
            await().until(() -> app.members("r").equals(Set.of(1L)));
        }
        new ApiClient(server.url(), "X-API-Key", ApiServer.KEY).delete("/api/v1/rooms/r/participants/eve");

        try (AppTrunk app = AppTrunk.hello(server.port(), "back", 4)) {
            app.send("[\"open\",1,{\"userId\":\"eve\",\"in\":" + in + "}]");
            await().until(() -> app.emitted(1, "room:force-leave").size() == 1);
            assertThat(REDIS.cli().exists("room:presence:r:eve")).isZero();
        }
    }

    private static void disconnect(String user, String body) {
        ApiClient api = new ApiClient(server.url(), "X-API-Key", ApiServer.KEY);
        assertThat(api.post("/api/v1/users/" + user + "/disconnect", body).status())
                .isEqualTo(200);
    }

    /** A client that connected to its app that long ago, and was in this room unless that is null. */
    private static AppTrunk arrive(AppTrunk app, long number, String user, long age, @Nullable String room) {
        String in = room == null ? "" : ",\"in\":[{\"roomId\":\"" + room + "\",\"revision\":1}]";
        app.send("[\"open\"," + number + ",{\"userId\":\"" + user + "\",\"age\":" + age + in + "}]");
        return app;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aUserWhoWasDisconnectedWhileTheTrunkWasAwayIsToldAndClosed(boolean revoke) {
        String eve = "eve-" + revoke;
        try (AppTrunk old = hello("out-" + revoke).open(1, eve)) {
            old.join(1, "r");
        }
        // Nothing of the user is left: they are in no room that they could be kicked from.
        await().until(() -> REDIS.cli().exists("room:presence:r:" + eve, "user:" + eve + ":online") == 0);
        disconnect(eve, "{\"message\":\"Out.\",\"revoke\":" + revoke + "}");

        try (AppTrunk app = AppTrunk.hello(server.port(), "out-" + revoke, 2).open(9, "wati")) {
            app.join(9, "r");
            arrive(app, 1, eve, 60_000, "r");
            arrive(app, 2, eve, 60_000, null);
            await().until(() -> app.all("close").size() == 2);
            assertThat(app.all("close"))
                    .allSatisfy(close -> assertThat(close.path(2).asString()).isEqualTo("disconnected"));
            assertThat(app.emitted(1, "room:force-leave"))
                    .extracting(told -> told.path("roomId").asString()
                            + told.path("reason").asString()
                            + told.path("message").asString())
                    .containsExactly("rkickedOut.");
            assertThat(app.changes("r")).doesNotContain("+" + eve);
            assertThat(REDIS.cli().exists("room:presence:r:" + eve, "user:" + eve + ":online"))
                    .isZero();

            // The user connects anew, and moves then.
            arrive(app, 3, eve, 0, null);
            assertThat(app.join(3, "r").path("ok").asBoolean()).isTrue();
            arrive(app, 4, eve, 1, "r");
            await().until(() -> app.members("r").equals(Set.of(3L, 4L, 9L)));
            assertThat(app.all("close")).hasSize(2);
        }
    }

    @Test
    void aUserWhoWasDisconnectedInTheGracePeriodIsToldOnce() {
        String in = leaveBehind("grace-out", "eve");
        disconnect("eve", "{\"message\":\"Out.\"}");

        try (AppTrunk app = AppTrunk.hello(server.port(), "grace-out", 2)) {
            app.send("[\"open\",1,{\"userId\":\"eve\",\"age\":60000,\"in\":" + in + "}]");
            assertThat(app.heard("close").path(2).asString()).isEqualTo("disconnected");
            assertThat(app.emitted(1, "room:force-leave")).hasSize(1);
        }
    }

    @Test
    void aUserWhoWasDisconnectedIsNotTakenOverIfRedisWasAwayWhenTheyArrived() {
        leaveBehind("paused", "eve");
        await().until(() -> REDIS.cli().exists("room:presence:r:eve") == 0);
        disconnect("eve", "{}");
        try (AppTrunk app = AppTrunk.hello(server.port(), "paused", 2).open(9, "wati")) {
            app.join(9, "r");
            REDIS.cli().clientPause(4_000);
            arrive(app, 1, "eve", 60_000, "r");

            assertThat(app.heard("close").path(1).asLong()).isEqualTo(1);
            assertThat(app.emitted(1, "room:force-leave")).hasSize(1);
            assertThat(app.list(9, "r")).containsExactly("wati");
            assertThat(app.changes("r")).doesNotContain("+eve");
        }
    }

    @Test
    void anEventOfASocketThatArrivesWhileRedisHangsIsAnsweredInTimeAndHasNoEffect() {
        try (AppTrunk app = hello("hang")) {
            REDIS.cli().clientPause(4_000);
            long asked = System.nanoTime();

            assertThat(code(app.open(1, "adi").join(1, "r"))).isEqualTo("presence_unavailable");

            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofMillis(2200));
            await().until(() -> app.join(1, "other").path("ok").asBoolean());
            assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero();
        }
    }

    @Test
    void aUserWhoLeftEverywhereWhileTheTrunkMovedIsToldAndNotTakenOver() {
        try (AppTrunk other = hello("elsewhere").open(1, "adi")) {
            other.join(1, "r");
            String in = leaveBehind("left", "adi");
            other.ask(1, "leave_room", "{\"roomId\":\"r\",\"everywhere\":true}").join();

            try (AppTrunk app = move("left", "adi", in)) {
                await().until(() -> app.emitted(1, "room:left").size() == 1);
                assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero();
                assertThat(app.all("close")).isEmpty();
            }
        }
    }

    @Test
    void anAppReportsClientsThatWentWhileItHadNoTrunk() {
        String id;
        try (AppTrunk old = hello("away").open(1, "adi")) {
            id = old.join(1, "r").path("socketId").asString();
            old.ask(1, "room:pause", AppTrunk.room("r")).join();
        }
        // A paused user whose connection breaks is held as away; here for half an hour.
        await().until(() -> REDIS.cli().get("room:r:user:adi").contains("\"held\":true"));
        assertThat(REDIS.cli().ttl("room:presence:r:adi")).isGreaterThan(1000);

        try (AppTrunk app = AppTrunk.hello(server.port(), "away", 2)) {
            String about = "{\"userId\":\"adi\",\"roomId\":\"r\",\"socketId\":\"" + id + "\"";
            assertThat(app.departed(about + "}").path("ok").asBoolean()).isTrue();
            assertThat(REDIS.cli().pttl("room:presence:r:adi")).isBetween(-2L, 2000L);
            assertThat(app.departed(about + ",\"left\":true}").path("ok").asBoolean())
                    .isTrue();
            assertThat(REDIS.cli().exists("room:presence:r:adi")).isZero();
            assertThat(code(app.departed("{\"roomId\":\"r\"}"))).isEqualTo("invalid_argument");
        }
    }

    @Test
    void aKickIsToldAndClosesASocketInNoOtherRoom() {
        try (AppTrunk app = hello("kick").open(1, "adi").open(2, "budi")) {
            app.join(1, "r");
            app.join(2, "r");
            new ApiClient(server.url(), "X-API-Key", ApiServer.KEY).delete("/api/v1/rooms/r/participants/adi");

            await().until(() -> app.emitted(1, "room:force-leave").size() == 1);
            JsonNode close = app.heard("close");
            assertThat(close.path(1).asLong()).isEqualTo(1);
            assertThat(close.path(2).asString()).isEqualTo("removed");
            assertThat(code(app.heartbeat(1, "r"))).isEqualTo("presence_unavailable");
            assertThat(app.list(2, "r")).containsExactly("budi");
        }
    }

    @Test
    void unknownMessagesAndFieldsAreIgnored() {
        try (AppTrunk app = hello("future")) {
            app.send("[\"later\",{}]", "[\"open\",1,{\"userId\":\"adi\",\"new\":[1]},\"more\"]", "[\"gone\",77]");

            assertThat(app.join(1, "r").path("ok").asBoolean()).isTrue();
        }
    }

    @Test
    void answersOfOneTurnShareAFrame() {
        try (AppTrunk app = hello("frames").open(1, "adi")) {
            app.join(1, "r");
            int before = app.frames();
            List<CompletableFuture<JsonNode>> answers =
                    IntStream.range(1000, 1040).mapToObj(app::expect).toList();
            String beats = IntStream.range(1000, 1040)
                    .mapToObj(a -> "[1," + a + ",\"r\"]")
                    .reduce((one, other) -> one + "," + other)
                    .orElseThrow();
            app.send("[\"beats\",[" + beats + "]]");
            answers.forEach(CompletableFuture::join);

            assertThat(app.frames() - before).isLessThan(20);
        }
    }

    @Test
    void metricsCountTrunksAndTheirSockets() throws IOException {
        try (AppTrunk app = hello("metrics").open(1, "adi").open(2, "budi")) {
            app.join(2, "r");
            String metrics;
            try (RawConnection scraper = new RawConnection(server.port())) {
                metrics = scraper.get("/metrics", "X-API-Key: " + ApiServer.KEY)
                        .response()
                        .body();
            }

            assertThat(metrics).contains("hadir_trunk_sockets 2.0").contains("hadir_trunks 1.0");
        }
    }
}
