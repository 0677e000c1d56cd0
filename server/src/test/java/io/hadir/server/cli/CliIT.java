package io.hadir.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.hadir.server.ApiServer;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import picocli.CommandLine.Help.Ansi;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The commands against a real server. */
@SuppressWarnings("try") // some clients only have to be present
class CliIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static ApiServer server;

    private final Map<String, String> environment = new HashMap<>(Map.of("HADIR_API_KEY", ApiServer.KEY));
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @BeforeAll
    static void start() throws Exception {
        server = ApiServer.start(REDIS.url(), "--lease-seconds=600");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void roomsListsOccupiedRooms() {
        assertThat(run("rooms")).isEqualTo(1);
        assertThat(out()).isEqualTo("Nobody is in any room.\n");

        try (WireClient adi = join("adi", "lobby");
                WireClient budi = join("budi", "lobby");
                WireClient citra = join("citra", "a.much.longer.room")) {
            out.reset();
            assertThat(run("rooms")).isZero();
            assertThat(out()).isEqualTo("ROOM                VIEWERS\na.much.longer.room  1\nlobby               2\n");
            out.reset();
            assertThat(run("rooms", "--limit=1")).isZero();
            assertThat(out()).endsWith("There are more; see --limit.\n");
            assertThat(json("rooms", "--json").path("rooms")).hasSize(2);
        }
    }

    @Test
    void whoListsParticipants() {
        assertThat(run("who", "lobby")).isEqualTo(1);
        assertThat(out()).isEqualTo("Nobody is in lobby.\n");
        out.reset();

        try (WireClient adi = new WireClient(server.port(), "{\"userId\":\"adi\"}");
                WireClient budi = join("budi", "other")) {
            adi.ask("join_room", "{\"roomId\":\"lobby\",\"username\":\"Adi 漢字\"}");
            budi.ask("join_room", "{\"roomId\":\"lobby\"}");

            assertThat(run("who", "lobby")).isZero();
            assertThat(out().lines().toList()).hasSize(3).first().isEqualTo("USER  NAME      JOINED   ACTIVE");
            assertThat(out().lines().skip(1))
                    .allMatch(line -> line.matches("(adi   Adi 漢字|budi  budi    )  \\d s ago  \\d s ago"));
            assertThat(json("who", "lobby", "--json").path("viewerCount").asInt())
                    .isEqualTo(2);
        }
    }

    @Test
    void listsFollowPages() {
        List<WireClient> crowd =
                IntStream.range(0, 5).mapToObj(i -> join("user" + i, "lobby")).toList();
        try {
            JsonNode all = json("who", "lobby", "--json", "--limit=0");
            assertThat(all.path("participants")).hasSize(5);
            assertThat(all.path("nextCursor").isNull()).isTrue();
            assertThat(json("who", "lobby", "--json", "--limit=3").path("participants"))
                    .hasSize(3);
            run("who", "lobby", "--limit=3");
            assertThat(out()).endsWith("3 of 5; see --limit.\n");
        } finally {
            crowd.forEach(WireClient::close);
        }
    }

    @Test
    void userShowsWhereAUserIs() {
        assertThat(run("user", "nobody")).isEqualTo(1);
        assertThat(out()).contains("Online     no\n", "Last seen  never\n");
        out.reset();

        try (WireClient adi = join("adi", "lobby")) {
            await().until(() -> json("user", "adi", "--json")
                    .path("activeRoom")
                    .asString("")
                    .equals("lobby"));
            assertThat(run("user", "adi")).isZero();
            assertThat(out()).contains("User       adi\nOnline     yes\nLooks at   lobby\n", "Rooms      lobby\n");
        }
    }

    @Test
    void kickRemovesAUserAndTellsThemWhy() {
        try (WireClient adi = join("adi", "lobby")) {
            assertThat(run("kick", "lobby", "adi", "--message=Be nice & kind")).isZero();
            assertThat(out()).isEqualTo("adi was kicked from lobby.\n");
            JsonNode told = adi.heard("room:force-leave");
            assertThat(told.path("reason").asString()).isEqualTo("kicked");
            assertThat(told.path("message").asString()).isEqualTo("Be nice & kind");

            assertThat(run("kick", "lobby", "adi")).isEqualTo(1);
            assertThat(err()).startsWith("hadir: ").hasLineCount(1);
        }
    }

    @Test
    void bansListsUsersUntilTheyAreUnbanned() {
        assertThat(run("bans", "lobby")).isEqualTo(1);
        assertThat(out()).isEqualTo("Nobody is banned from lobby.\n");
        out.reset();
        try (WireClient adi = join("adi", "lobby")) {
            assertThat(run("kick", "lobby", "adi", "--ban=3600", "--message=Be nice"))
                    .isZero();
            assertThat(out()).matches("adi is banned from lobby until 2\\S+ \\S+\\.\n");
            assertThat(adi.heard("room:force-leave").path("message").asString()).isEqualTo("Be nice");
            out.reset();

            assertThat(run("bans", "lobby")).isZero();
            assertThat(out().lines().toList()).hasSize(2);
            assertThat(out()).matches("USER  UNTIL +MESSAGE\nadi   2\\S+ \\S+  Be nice\n");
            assertThat(json("bans", "lobby", "--json").at("/bans/0/userId").asString())
                    .isEqualTo("adi");
            out.reset();

            assertThat(run("unban", "lobby", "adi")).isZero();
            assertThat(out()).isEqualTo("adi may join lobby again.\n");
            assertThat(run("unban", "lobby", "adi")).isEqualTo(1);
            assertThat(run("kick", "lobby", "adi", "--ban=0")).isEqualTo(2);
            assertThat(err()).contains("banSeconds");
        }
    }

    @Test
    void disconnectRemovesAUserFromEveryRoom() {
        try (WireClient adi = join("adi", "lobby");
                WireClient other = join("adi", "den")) {
            assertThat(run("disconnect", "adi", "--message=Be nice")).isZero();
            assertThat(out()).isEqualTo("adi was disconnected; sockets: 2.\n");
            assertThat(adi.heard("room:force-leave").path("message").asString()).isEqualTo("Be nice");
            await().until(() -> adi.isDisconnected() && other.isDisconnected());
            out.reset();
            assertThat(run("disconnect", "adi", "--revoke")).isZero();
            assertThat(out())
                    .matches("adi was disconnected; sockets: 0; tokens issued until 2\\S+ \\S+ are refused\\.\n");
            assertThat(json("disconnect", "adi", "--json").path("revokedAt").isNull())
                    .isTrue();
        }
    }

    @Test
    void explainSaysWhyAUserIsPresentOrLeft() {
        assertThat(run("explain", "lobby", "adi")).isEqualTo(1);
        assertThat(out())
                .isEqualTo(
                        "adi is not in lobby, and Redis has no record of them; records last from a minute to a day.\n");
        out.reset();

        try (WireClient adi = join("adi", "lobby")) {
            assertThat(run("explain", "lobby", "adi")).isZero();
            assertThat(out())
                    .startsWith("adi is in lobby because room:presence:lobby:adi is alive for another 5 h.\nJoined 0 s")
                    .contains("named by the key\n", " ago  joined  ");
            out.reset();
            adi.ask("leave_room", "{\"roomId\":\"lobby\"}");
            assertThat(run("explain", "lobby", "adi")).isEqualTo(1);
            assertThat(out()).startsWith("adi left lobby 0 s ago: left on their own (noticed by server ");
            assertThat(json("explain", "lobby", "adi", "--json").path("history"))
                    .hasSize(2);
        }
        out.reset();
        try (WireClient budi = join("budi", "lobby")) {
            REDIS.cli().del("room:presence:lobby:budi");
            assertThat(run("explain", "lobby", "budi")).isEqualTo(1);
            assertThat(out())
                    .startsWith(
                            "budi is not in lobby: room:presence:lobby:budi is gone. The next sweep tells the room");
        }
        assertThat(run("explain", "lobby")).isEqualTo(2);
        assertThat(run("explain", "lobby", "..")).isEqualTo(2);
    }

    @Test
    void statsShowsCountsAndServers() {
        assertThat(run("stats")).isZero();
        assertThat(out()).contains("users online", "rooms occupied", "LEFT A ROOM IN THE LAST 24 HOURS", "SERVER");
        JsonNode all = json("stats", "--json");
        assertThat(all.propertyNames()).containsExactly("usersOnline", "roomsOccupied", "removals", "nodes");
    }

    @Test
    void watchShowsJoinsAndLeaves() throws Exception {
        try (WireClient adi = join("adi", "lobby")) {
            Thread watching = new Thread(() -> run("watch", "lobby"), "watching");
            watching.start();
            try {
                await().until(() -> out().contains("  in lobby: 1\n") && out().contains("adi\n"));
                try (WireClient budi = join("budi", "lobby")) {
                    await().untilAsserted(() -> assertThat(out()).contains(" +budi joined, 2 here\n"));
                    budi.ask("leave_room", "{\"roomId\":\"lobby\"}");
                    await().untilAsserted(() -> assertThat(out()).contains(" -budi left, 1 here\n"));
                }
            } finally {
                watching.interrupt();
                watching.join();
            }
        }
        assertThat(err()).isEmpty();
    }

    @Test
    void watchSurvivesARestartOfTheServer() throws Exception {
        ApiServer first = ApiServer.start(REDIS.url());
        int port = first.port();
        Thread watching = new Thread(() -> run("watch", "lobby", "--json", "--url=" + first.url()), "watching");
        try (WireClient adi = join("adi", "lobby")) {
            watching.start();
            await().until(() -> out().contains("\"event\":\"present\""));
            first.close();
            await().until(() -> out().contains("\"event\":\"lost\""));
            try (ApiServer second = ApiServer.start(REDIS.url(), "--port=" + port)) {
                await().until(() -> out().contains("\"event\":\"back\""));
            }
        } finally {
            first.close();
            watching.interrupt();
            watching.join();
        }
        assertThat(out().lines())
                .allSatisfy(line -> assertThat(
                                JsonMapper.shared().readTree(line).path("at").isNumber())
                        .isTrue());
    }

    @Test
    void exitCodesSayWhatWentWrong() throws Exception {
        assertThat(run("who")).isEqualTo(2);
        assertThat(run("who", "lobby", "--nope")).isEqualTo(2);
        assertThat(run("who", "..")).isEqualTo(2);
        assertThat(run("rooms", "--limit=-1")).isEqualTo(2);
        assertThat(run("rooms", "--url=ftp://somewhere")).isEqualTo(2);
        assertThat(run("romos")).isEqualTo(2);
        assertThat(run("rooms", "--url=http://127.0.0.1:1")).isEqualTo(3);
        assertThat(run("rooms", "--api-key=wrong")).isEqualTo(4);
        environment.remove("HADIR_API_KEY");
        assertThat(run("rooms")).isEqualTo(4);
        assertThat(out()).isEmpty();
        assertThat(err().lines())
                .hasSize(9)
                .allMatch(line -> line.startsWith("hadir: "))
                .noneMatch(line -> line.contains("wrong"));
    }

    @Test
    void anUnavailableServerAndAForeignOneHaveDifferentExitCodes() throws Exception {
        try (Elsewhere busy = new Elsewhere(
                        503, "{\"error\":{\"code\":\"presence_unavailable\",\"message\":\"not now\\n\\u001b[2J\"}}");
                Elsewhere other = new Elsewhere(200, "<html>")) {
            assertThat(run("rooms", "--url=" + busy.url())).isEqualTo(5);
            assertThat(err()).isEqualTo("hadir: not now\\u{a}\\u{1b}[2J\n");
            assertThat(run("rooms", "--url=" + other.url())).isEqualTo(3);
            assertThat(err()).endsWith(" is not Hadir\n");
        }
    }

    @Test
    void a43_namesCannotControlTheTerminal() throws Exception {
        String nasty =
                "{\"participants\":[{\"userId\":\"adi\",\"username\":\"a\\u001b[31m\\r\\n\\u202eb\\u0007\"}],\"viewerCount\":1,\"nextCursor\":null}";
        try (Elsewhere evil = new Elsewhere(200, nasty)) {
            assertThat(run("who", "lobby", "--url=" + evil.url())).isZero();
            assertThat(out())
                    .contains("a\\u{1b}[31m\\u{d}\\u{a}\\u{202e}b\\u{7}")
                    .hasLineCount(2);
        }
        String c1 = "{\"participants\":[{\"userId\":\"adi\",\"username\":\"é\u009b31m\u202e\u007f\udb40\udc01\"}],"
                + "\"viewerCount\":1,\"nextCursor\":null}";
        try (Elsewhere evil = new Elsewhere(200, c1)) {
            out.reset();
            assertThat(run("who", "lobby", "--json", "--url=" + evil.url())).isZero();
            assertThat(out()).contains("\"é\\u009b31m\\u202e\\u007f\\udb40\\udc01\"");
            assertThat(JsonMapper.shared().readTree(out()))
                    .isEqualTo(JsonMapper.shared().readTree(c1));
        }
    }

    @Test
    void anAnswerThatCannotBeWrittenIsAFailure() {
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("No space left on device");
            }
        };
        assertThat(run(new PrintStream(full, true, UTF_8), "rooms")).isEqualTo(6);
        assertThat(err()).isEqualTo("hadir: the answer could not be written\n");
    }

    @Test
    void commandsWorkOnNarrowTerminals() {
        for (String columns : List.of("10", "20", "54", "55", "80", "9999")) {
            environment.put("COLUMNS", columns);
            assertThat(run("rooms")).as(columns).isEqualTo(1);
            assertThat(run("who", "--help")).as(columns).isZero();
        }
        assertThat(err()).isEmpty();
    }

    @Test
    void helpListsTheExitCodesAndNeedsNoServer() {
        assertThat(run("who", "--help")).isZero();
        assertThat(out()).startsWith("Usage: hadir who").contains("Exit codes:");
        assertThat(run("help")).isZero();
    }

    private static WireClient join(String user, String room) {
        WireClient client = new WireClient(server.port(), "{\"userId\":\"" + user + "\"}");
        assertThat(client.ask("join_room", "{\"roomId\":\"" + room + "\"}")
                        .path("ok")
                        .asBoolean())
                .isTrue();
        return client;
    }

    private JsonNode json(String... arguments) {
        out.reset();
        run(arguments);
        JsonNode answer = JsonMapper.shared().readTree(out());
        out.reset();
        return answer;
    }

    private int run(String... arguments) {
        return run(new PrintStream(out, true, UTF_8), arguments);
    }

    private int run(PrintStream written, String... arguments) {
        environment.put("HADIR_URL", server.url());
        return Cli.run(
                List.of(arguments),
                new Terminal(
                        written,
                        new PrintStream(err, true, UTF_8),
                        environment,
                        Ansi.OFF,
                        Clock.fixed(Instant.EPOCH, ZoneOffset.UTC)));
    }

    private String out() {
        return out.toString(UTF_8);
    }

    private String err() {
        return err.toString(UTF_8);
    }

    /** A server that gives every request the same answer. */
    private static final class Elsewhere implements AutoCloseable {
        private final HttpServer http;

        Elsewhere(int status, String body) throws IOException {
            http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            http.createContext("/", exchange -> {
                byte[] bytes = body.getBytes(UTF_8);
                exchange.sendResponseHeaders(status, bytes.length);
                exchange.getResponseBody().write(bytes);
                exchange.close();
            });
            http.start();
        }

        String url() {
            return "http://127.0.0.1:" + http.getAddress().getPort();
        }

        @Override
        public void close() {
            http.stop(0);
        }
    }
}
