package io.hadir.server.trunk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.support.Exposition;
import io.hadir.testing.Logs;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import io.hadir.testing.TestRedis;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** What an app without the key, or with a bug, can do through a trunk: nothing to others. */
class TrunkAttackIT {
    private static final String HELLO = "[\"hello\",{\"version\":1,\"process\":\"bad\",\"epoch\":1}]";

    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static ApiServer server;
    private static AppTrunk other;

    @BeforeAll
    static void start() throws IOException {
        server = ApiServer.start(REDIS.url(), AppTrunk.FLAG, "--events-per-second=20");
        other = AppTrunk.hello(server.port(), "other", 1).open(1, "other");
    }

    @AfterAll
    static void stop() {
        other.close();
        server.close();
    }

    private static void othersWork() {
        assertThat(other.join(1, "calm").path("ok").asBoolean()).isTrue();
    }

    private static RawWebSocket raw() throws IOException {
        return RawWebSocket.open(new RawConnection(server.port()), "/trunk", "Authorization: Bearer " + AppTrunk.KEY);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{",
                "7",
                "{\"a\":1}",
                "\"hello\"",
                "[7]",
                "[[7]]",
                "[[]]",
                "[\"hello\"]",
                "[[\"open\",1,{}]]",
                "[[\"hello\"]]",
                "[[\"hello\",{\"version\":1,\"process\":\"\",\"epoch\":1}]]",
                "[[\"hello\",{\"version\":1,\"process\":\"a b\",\"epoch\":1}]]",
                "[[\"hello\",{\"version\":1,\"process\":\"a\",\"epoch\":0}]]",
                "[[\"hello\",{\"version\":1,\"process\":\"a\",\"epoch\":\"7\"}]]",
                "[[\"hello\",{\"version\":1,\"process\":\"a\",\"epoch\":1e30}]]",
                "[" + HELLO + "," + HELLO + "]",
                "[" + HELLO + ",[\"open\",0,{}]]",
                "[" + HELLO + ",[\"open\",\"1\",{}]]",
                "[" + HELLO + ",[\"open\",1]]",
                "[" + HELLO + ",[\"open\",1,{}],[\"open\",1,{}]]",
                "[" + HELLO + ",[\"beats\",[7]]]"
            })
    void a01_aMessageThatIsNotOfTheProtocolClosesTheTrunk(String frame) throws IOException {
        try (RawWebSocket app = raw()) {
            app.send(frame);

            assertThat(app.closeCode()).isEqualTo(4400);
        }
        othersWork();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[[[", "{\"a\":", "key", "number", "name"})
    void a20_aMessageThatCannotBeReadConcernsOnlyItsSocket(String bomb) {
        String payload = switch (bomb) {
            case "[[[" -> "[".repeat(100) + "]".repeat(100);
            case "key" -> "{\"" + "k".repeat(2_000) + "\":\"]\\\\\"}";
            case "number" -> "9".repeat(100);
            case "name" -> "{}";
            default -> bomb.repeat(100) + "1" + "}".repeat(100);
        };
        String name = bomb.equals("name") ? "7" : "\"join_room\"";
        try (AppTrunk app = AppTrunk.hello(server.port(), "unreadable", System.nanoTime())) {
            app.open(1, "adi").open(2, "budi").open(3, "eve");
            CompletableFuture<JsonNode> refused = app.expect(901);
            CompletableFuture<JsonNode> beaten = app.expect(902);
            CompletableFuture<JsonNode> joined = app.expect(903);
            app.send(
                    "[\"event\",1,901," + name + "," + payload + "]",
                    "[\"event\",3,null," + name + "," + payload + "]",
                    "[\"beats\",[[1,902," + (bomb.equals("name") ? "{}" : payload) + "],[2,904,\"other\"]]]",
                    "[\"event\",2,903,\"join_room\",{\"roomId\":\"r\"}]");

            assertThat(joined.join().path("ok").asBoolean()).isTrue();
            assertThat(refused.join().path("error").path("code").asString()).isEqualTo("invalid_argument");
            assertThat(beaten.join().path("error").path("code").asString()).isEqualTo("invalid_argument");
            assertThat(app.heard("close").path(1).asLong()).isEqualTo(3);
            assertThat(app.heard("close").path(2).asString()).isEqualTo("invalid_argument");
            app.send("[\"open\",4,{\"userId\":" + payload + "}]");
            assertThat(app.heard("refused").path(1).asLong()).isEqualTo(4);
            assertThat(app.join(1, "r").path("ok").asBoolean()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"userId\":\"\"}",
                "{\"userId\":{}}",
                "{\"userId\":\"a\\u0000b\"}",
                "{\"userId\":\"adi\",\"username\":7}",
                "{\"userId\":\"adi\",\"rooms\":7}",
                "{\"userId\":\"adi\",\"rooms\":[\"\"]}"
            })
    void a21_aSocketWithABadUserIsRefused(String about) {
        try (AppTrunk app = AppTrunk.hello(server.port(), "refused", System.nanoTime())) {
            app.send("[\"open\",1," + about + "]");

            assertThat(app.heard("refused").path(2).path("code").asString()).isEqualTo("invalid_argument");
        }
    }

    @Test
    void a21_numbersThatAreNotOpenDoNothing() {
        try (AppTrunk app = AppTrunk.hello(server.port(), "numbers", 1)) {
            app.send(
                    "[\"gone\",5]",
                    "[\"gone\",\"x\"]",
                    "[\"event\",-1,null,\"x\",{}]",
                    "[\"event\",9,null,\"join_room\",{\"roomId\":\"r\"}]");

            JsonNode answer = app.join(7, "r");
            assertThat(answer.path("error").path("code").asString()).isEqualTo("presence_unavailable");
            assertThat(REDIS.cli().keys("room:presence:r:*")).isEmpty();
        }
    }

    @Test
    void a06_aGiantFrameClosesTheTrunkBeforeItIsRead() throws IOException {
        try (RawWebSocket app = raw()) {
            app.connection().send(RawWebSocket.header(RawWebSocket.FIN | RawWebSocket.TEXT, 0x80, 1L << 40));

            assertThat(app.closeCode()).isEqualTo(1009);
        }
        try (RawWebSocket app = raw()) {
            byte[] piece = " ".repeat(600_000).getBytes(StandardCharsets.UTF_8);
            app.frame(RawWebSocket.TEXT, piece);
            app.frame(RawWebSocket.FIN | RawWebSocket.CONTINUATION, piece);

            assertThat(app.closeCode()).isIn(1009, 1006);
        }
        othersWork();
    }

    @Test
    void a05_brokenAndBinaryFramesCloseTheTrunk() throws IOException {
        try (RawWebSocket app = raw()) {
            app.frame(RawWebSocket.FIN | 0x40 | RawWebSocket.TEXT, "[]");
            assertThat(app.closeCode()).isEqualTo(1002);
        }
        try (RawWebSocket app = raw()) {
            app.send(new byte[] {1, 2, 3});
            assertThat(app.closeCode()).isEqualTo(4400);
        }
        try (RawWebSocket app = raw()) {
            app.frame(RawWebSocket.FIN | RawWebSocket.TEXT, new byte[] {'[', '"', (byte) 0xff, '"', ']'});
            assertThat(app.closeCode()).isEqualTo(4400);
        }
        othersWork();
    }

    @Test
    void a20_aJsonBombClosesTheTrunk() throws IOException {
        try (RawWebSocket app = raw()) {
            app.send("[".repeat(10_000));
            assertThat(app.closeCode()).isEqualTo(4400);
        }
        try (RawWebSocket app = raw()) {
            app.send("[[\"hello\",{\"epoch\":" + "9".repeat(10_000) + "}]]");
            assertThat(app.closeCode()).isEqualTo(4400);
        }
        othersWork();
    }

    @Test
    void a13_aTrunkThatNeverSaysHelloIsClosed() throws IOException {
        try (RawWebSocket app = raw()) {
            assertThat(app.closeCode()).isEqualTo(4408);
        }
    }

    @Test
    void a40_withoutTheKeyThereIsNoTrunk() throws IOException {
        try (Logs logs = Logs.listen();
                RawConnection guesser = new RawConnection(server.port())) {
            assertThat(guesser.get("/trunk", RawWebSocket.handshake())
                            .response()
                            .status())
                    .isEqualTo(401);
            assertThat(guesser.get("/trunk", RawWebSocket.handshake("Authorization: Basic " + AppTrunk.KEY))
                            .response()
                            .status())
                    .isEqualTo(401);
            assertThat(guesser.get("/trunk", RawWebSocket.handshake("X-API-Key: " + ApiServer.KEY))
                            .response()
                            .status())
                    .isEqualTo(401);
            assertThat(logs.troubles())
                    .anyMatch(line -> line.contains("Refused a trunk from 127.0.0.1"))
                    .noneMatch(line -> line.contains(AppTrunk.KEY));
        }
    }

    @Test
    void a54_guessesOfTheTrunkKeyAreCountedAndSlowedDown() throws IOException {
        int status = 401;
        for (int i = 0; i < 1000 && status == 401; i++) {
            try (RawConnection guesser = new RawConnection(server.port())) {
                status = guesser.get("/trunk", RawWebSocket.handshake("Authorization: Bearer guess-" + i))
                        .response()
                        .status();
            }
        }
        assertThat(status).isEqualTo(429);
        AppTrunk.hello(server.port(), "right", 1).close();
        try (RawConnection scraper = new RawConnection(server.port())) {
            String metrics = scraper.get("/metrics", "X-API-Key: " + ApiServer.KEY)
                    .response()
                    .body();
            assertThat(Exposition.read(metrics).value("hadir_trunks_refused_total"))
                    .isGreaterThanOrEqualTo(20);
        }
    }

    @Test
    void aRequestThatIsNoWebSocketIsToldSo() throws IOException {
        try (RawConnection caller = new RawConnection(server.port())) {
            assertThat(caller.get("/trunk", "Authorization: Bearer " + AppTrunk.KEY)
                            .response()
                            .status())
                    .isEqualTo(426);
        }
    }

    @Test
    void aServerWithoutATrunkKeyHasNoSuchPath() throws IOException {
        try (ApiServer plain = ApiServer.start(REDIS.url());
                RawConnection caller = new RawConnection(plain.port())) {
            assertThat(caller.get("/trunk", RawWebSocket.handshake("Authorization: Bearer " + AppTrunk.KEY))
                            .response()
                            .status())
                    .isEqualTo(404);
        }
    }

    @Test
    void aStaleEpochIsRefusedAndTheLaterTrunkStays() {
        try (AppTrunk later = AppTrunk.hello(server.port(), "epochs", 9).open(1, "adi")) {
            AppTrunk stale = AppTrunk.connect(server.port());
            stale.sayHello("epochs", 8);
            stale.send("[\"open\",1,{\"userId\":\"ghost\",\"in\":[{\"roomId\":\"r\"}]}]");

            assertThat(stale.closeCode()).isEqualTo(4409);
            assertThat(later.join(1, "r").path("ok").asBoolean()).isTrue();
            assertThat(later.list(1, "r")).containsExactly("adi");
        }
        AppTrunk stale = AppTrunk.connect(server.port());
        stale.sayHello("epochs", 8);
        assertThat(stale.closeCode()).as("Redis remembers").isEqualTo(4409);
        assertThat(REDIS.cli().ttl("hadir:trunk:epochs")).isBetween(3000L, 3600L);
    }

    @Test
    void aSecondHelloClosesTheTrunkAndTakesNoOthersPlace() {
        try (AppTrunk victim = AppTrunk.hello(server.port(), "victim", 1).open(1, "adi")) {
            AppTrunk app = AppTrunk.hello(server.port(), "twice", 1).open(1, "budi");
            app.join(1, "second-hello");
            app.sayHello("victim", 9);
            app.send("[\"open\",2,{\"userId\":\"eve\"}]");

            assertThat(app.closeCode()).isEqualTo(4400);
            assertThat(victim.join(1, "second-hello").path("ok").asBoolean()).isTrue();
            assertThat(REDIS.cli().get("hadir:trunk:victim")).isEqualTo("1");
            assertThat(REDIS.cli().exists("user:eve:online")).isZero();
        }
    }

    @Test
    void anUnknownVersionIsRefused() {
        AppTrunk app = AppTrunk.connect(server.port());
        app.send("[\"hello\",{\"version\":99,\"process\":\"v\",\"epoch\":1}]");

        assertThat(app.closeCode()).isEqualTo(4426);
        assertThat(app.heard("error").path(1).path("versions").path(0).asInt()).isEqualTo(1);
    }

    @Test
    void a25_aSocketThatFloodsIsLimitedAndThenClosedAndItsNeighboursAreNot() {
        try (AppTrunk app =
                AppTrunk.hello(server.port(), "flood", 1).open(1, "adi").open(2, "budi")) {
            app.join(2, "r");
            List<CompletableFuture<JsonNode>> answers =
                    IntStream.range(5000, 5300).mapToObj(app::expect).toList();
            app.send(IntStream.range(5000, 5300)
                    .mapToObj(a -> "[\"event\",1," + a + ",\"room:heartbeat\",{\"roomId\":\"r\"}]")
                    .toArray(String[]::new));

            assertThat(answers.stream().map(CompletableFuture::join))
                    .anyMatch(answer ->
                            answer.path("error").path("code").asString().equals("rate_limited"));
            assertThat(app.heard("close").path(2).asString()).isEqualTo("rate_limited");
            assertThat(app.heartbeat(2, "r").path("ok").asBoolean()).isTrue();
        }
    }

    @Test
    void a25_aSocketThatFloodsIsClosedAfterItsAcceptedEventsAreAnswered() {
        try (AppTrunk app = AppTrunk.hello(server.port(), "accepted", 1).open(1, "adi")) {
            assertThat(app.join(1, "r0").path("ok").asBoolean()).isTrue();
            List<CompletableFuture<JsonNode>> answers =
                    IntStream.range(5000, 5300).mapToObj(app::expect).toList();
            REDIS.cli().clientPause(500);
            app.send(IntStream.range(5000, 5300)
                    .mapToObj(a -> "[\"event\",1," + a + ",\"join_room\",{\"roomId\":\"r" + a % 30 + "\"}]")
                    .toArray(String[]::new));

            assertThat(app.heard("close").path(2).asString()).isEqualTo("rate_limited");
            assertThat(answers.subList(0, 30))
                    .as("answered before the close")
                    .allMatch(CompletableFuture::isDone)
                    .allMatch(answer -> answer.join().path("ok").asBoolean());
            assertThat(answers.subList(100, 300).stream().map(CompletableFuture::join))
                    .allMatch(answer ->
                            answer.path("error").path("code").asString().equals("rate_limited"));
        }
    }

    @Test
    void f03_anAppThatDoesNotReadIsClosedAndOthersAreNotAffected() throws IOException {
        try (RawWebSocket app = raw()) {
            app.send("[" + HELLO.replace("bad", "deaf") + ",[\"open\",1,{}]]");
            // Each answer is longer than its question.
            String frame = "[" + String.join(",", Collections.nCopies(5_000, "[\"event\",7,1,\"x\",{}]")) + "]";
            IOException cut = null;
            for (int i = 0; i < 400 && cut == null; i++) {
                try {
                    app.send(frame);
                } catch (IOException closed) {
                    cut = closed;
                }
            }
            assertThat(cut).as("closed by the server").isNotNull();
        }
        othersWork();
        await().until(() -> slowClosings() >= 1);
    }

    private static double slowClosings() throws IOException {
        try (RawConnection scraper = new RawConnection(server.port())) {
            String metrics = scraper.get("/metrics", "X-API-Key: " + ApiServer.KEY)
                    .response()
                    .body();
            return Exposition.read(metrics).value("hadir_trunk_send_buffer_closings_total");
        }
    }
}
