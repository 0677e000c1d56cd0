package io.hadir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.testing.Logs;
import io.hadir.testing.TestRedis;
import io.hadir.testing.WireClient;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * What clients send never reaches the log, except the origin of a refused page if it is nothing but scheme and host.
 */
class LogSecrecyIT {
    @RegisterExtension
    static final TestRedis REDIS = TestRedis.start();

    private static final String FORGED = "Evil\\n2026 ERROR forged\\r\\u001b[2J\\u2028";

    @Test
    void a43_nothingFromAClientIsInTheLog() throws Exception {
        try (Logs logs = Logs.listen()) {
            try (ApiServer server = ApiServer.start(REDIS.url(), "--events-per-second=5")) {
                asks(server);
                overHttp(server);
            }

            assertThat(logs.all())
                    .anyMatch(line -> line.contains("listens on"))
                    .anyMatch(line -> line.contains("Stopped"))
                    .anyMatch(line -> line.contains("Refused a page of an odd origin"))
                    .noneMatch(line -> line.toLowerCase(Locale.ROOT).contains("evil"))
                    .allMatch(line -> line.chars().noneMatch(Character::isISOControl));
        }
    }

    private static void asks(ApiServer server) {
        String payload =
                "{\"roomId\":\"" + FORGED + "\",\"userId\":\"" + FORGED + "\",\"username\":\"" + FORGED + "\"}";
        try (WireClient refused = new WireClient(server.port(), "{\"userId\":\"" + FORGED + "\"}")) {
            assertThat(refused.refused()).isNotNull();
        }
        try (WireClient client = new WireClient(server.port(), "{\"userId\":\"EvilUser\",\"token\":\"EvilToken\"}")) {
            for (String event : List.of("join_room", "room:heartbeat", "leave_room", "EvilEvent" + FORGED)) {
                assertThat(client.ask(event, payload).path("ok").asBoolean()).isFalse();
            }
            client.ask("join_room", "{\"roomId\":\"EvilRoom\",\"username\":\"Evil Name\"}");
            // Other programs may publish anything in Redis.
            REDIS.cli().publish("hadir:EvilRoom", FORGED);
            for (int i = 0; i < 15; i++) {
                client.emit("EvilFlood", payload);
            }
        }
    }

    private static void overHttp(ApiServer server) throws Exception {
        HttpClient http = HttpClient.newHttpClient();
        for (String path : List.of(
                "/api/v1/rooms/Evil%0A%1B%5B2J",
                "/Evil%0D%0Aforged", "/api/v1/users/%00Evil", "/socket.io/?EIO=Evil")) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + path))
                    .timeout(Duration.ofSeconds(10))
                    .header("Authorization", "Bearer EvilKey")
                    .header("Origin", "http://example.com ERROR Evil")
                    .build();
            assertThat(http.send(request, HttpResponse.BodyHandlers.ofString()).statusCode())
                    .isGreaterThanOrEqualTo(400);
        }
    }
}
