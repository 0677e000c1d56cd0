package io.hadir.server.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.server.ApiServer;
import io.hadir.server.support.ApiClient;
import io.hadir.server.trunk.AppTrunk;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A removed user reads the reason in their language, whichever server removes them and however they are connected. */
class LanguageIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String KICKED_EN = "You have been removed from the chatroom";
    private static final String KICKED_ID = "Anda telah dikeluarkan dari ruang obrolan";

    private static ApiServer server;
    private static ApiServer indonesian;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(
                folder.resolve("hadir.yml"), "language: id\nmessages:\n  en:\n    presence_lost: You were away\n");
        server = ApiServer.start(REDIS.url(), "--grace-seconds=1", "--sweep-seconds=1", AppTrunk.FLAG);
        indonesian = ApiServer.start(REDIS.url(), "--grace-seconds=1", "--config=" + file);
    }

    @AfterAll
    static void stop() {
        server.close();
        indonesian.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {"lang":"en"}     | You are not in the chatroom        | You have been removed from the chatroom
                    {"lang":"id"}     | Anda tidak berada di ruang obrolan | Anda telah dikeluarkan dari ruang obrolan
                    {"lang":"id-ID"}  | You are not in the chatroom        | You have been removed from the chatroom
                    {"lang":["id"]}   | You are not in the chatroom        | You have been removed from the chatroom
                    {}                | You are not in the chatroom        | You have been removed from the chatroom
                    """)
    void aReasonIsInTheSocketsLanguage(String auth, String lost, String kicked) {
        try (WireClient adi = new WireClient(server.port(), auth)) {
            join(adi, "stay");
            join(adi, "lost");
            REDIS.cli().del("room:presence:lost:adi");
            adi.ask("room:heartbeat", room("lost"));
            assertThat(told(adi)).isEqualTo("lost presence_lost " + lost);

            join(adi, "kicked");
            kick(server, "kicked", "");
            assertThat(told(adi)).isEqualTo("kicked kicked " + kicked);
        }
    }

    @Test
    void inactivityIsExplainedInTheSocketsLanguage() {
        String english = "You have been logged out due to inactivity (2+ seconds without activity)";
        try (WireClient en = inactive("en", "{\"lang\":\"en\"}");
                WireClient id = inactive("id", "{\"lang\":\"id\"}");
                WireClient regional = inactive("regional", "{\"lang\":\"id-ID\"}");
                WireClient list = inactive("list", "{\"lang\":[\"id\"]}");
                WireClient none = inactive("none", "{}")) {
            assertThat(told(en)).isEqualTo("en inactivity_timeout " + english);
            assertThat(told(id))
                    .isEqualTo("id inactivity_timeout "
                            + "Anda telah dikeluarkan karena tidak aktif (2+ detik tanpa aktivitas)");
            assertThat(told(regional)).isEqualTo("regional inactivity_timeout " + english);
            assertThat(told(list)).isEqualTo("list inactivity_timeout " + english);
            assertThat(told(none)).isEqualTo("none inactivity_timeout " + english);
        }
    }

    /** A client in a room of its own that removes the inactive soon. */
    private static WireClient inactive(String room, String auth) {
        REDIS.cli().hset("hadir:room:" + room + ":settings", "ttlSeconds", "2");
        WireClient client = new WireClient(server.port(), auth);
        join(client, room);
        return client;
    }

    @Test
    void theServerThatHoldsTheSocketChoosesTheTextAndKeepsTheBackendsOwn() {
        try (WireClient adi = new WireClient(server.port(), "{\"lang\":\"id\"}");
                WireClient tab = new WireClient(indonesian.port(), "{\"lang\":\"en\"}")) {
            join(adi, "r");
            join(adi, "stay");
            join(tab, "r");
            join(tab, "stay");
            kick(indonesian, "r", "");
            assertThat(told(adi)).isEqualTo("r kicked " + KICKED_ID);
            assertThat(told(tab)).isEqualTo("r kicked " + KICKED_EN);

            kick(server, "stay", "?message=Bye");
            assertThat(told(adi)).isEqualTo("stay kicked Bye");
            assertThat(told(tab)).isEqualTo("stay kicked Bye");
        }
    }

    @Test
    void aRoomsOwnInactivityMessageIsTheSameForEveryone() {
        REDIS.cli().hset("hadir:room:own:settings", Map.of("ttlSeconds", "2", "inactivityMessage", "Bye {time}"));
        try (WireClient adi = new WireClient(server.port(), "{\"lang\":\"id\"}")) {
            join(adi, "own");
            assertThat(told(adi)).isEqualTo("own inactivity_timeout Bye {time}");
        }
    }

    @Test
    void theOperatorChoosesTheUsualLanguageAndMayReplaceEachText() {
        try (WireClient adi = new WireClient(indonesian.port(), "{}");
                WireClient english = new WireClient(indonesian.port(), "{\"lang\":\"en\"}")) {
            adi.ask("room:heartbeat", "{\"roomId\":\"r\",\"userId\":\"adi\"}");
            english.ask("room:heartbeat", "{\"roomId\":\"r\",\"userId\":\"adi\"}");
            assertThat(told(adi)).isEqualTo("r presence_lost Anda tidak berada di ruang obrolan");
            assertThat(told(english)).isEqualTo("r presence_lost You were away");
        }
    }

    @Test
    void aSocketBehindATrunkHasALanguageToo() {
        try (AppTrunk app = AppTrunk.hello(server.port(), "language", 1)) {
            app.send(
                    "[\"open\",1,{\"userId\":\"adi\",\"lang\":\"id\"}]",
                    "[\"open\",2,{\"userId\":\"budi\",\"lang\":7}]");
            app.join(1, "r");
            app.join(2, "r");
            kick(server, "r", "");
            api(server).delete("/api/v1/rooms/r/participants/budi");
            await().until(() -> app.emitted(1, "room:force-leave").size() == 1);
            await().until(() -> app.emitted(2, "room:force-leave").size() == 1);
            assertThat(app.emitted(1, "room:force-leave").get(0).path("message").asString())
                    .isEqualTo(KICKED_ID);
            assertThat(app.emitted(2, "room:force-leave").get(0).path("message").asString())
                    .isEqualTo(KICKED_EN);
        }
    }

    private static void join(WireClient client, String room) {
        assertThat(client.ask("join_room", "{\"roomId\":\"" + room + "\",\"userId\":\"adi\"}")
                        .path("ok")
                        .asBoolean())
                .isTrue();
    }

    private static void kick(ApiServer by, String room, String query) {
        assertThat(api(by).delete("/api/v1/rooms/" + room + "/participants/adi" + query)
                        .status())
                .isEqualTo(200);
    }

    private static ApiClient api(ApiServer of) {
        return new ApiClient(of.url(), "Authorization", "Bearer " + ApiServer.KEY);
    }

    private static String room(String room) {
        return "{\"roomId\":\"" + room + "\"}";
    }

    private static String told(WireClient client) {
        var leave = client.heard("room:force-leave");
        return leave.path("roomId").asString() + " " + leave.path("reason").asString() + " "
                + leave.path("message").asString();
    }
}
