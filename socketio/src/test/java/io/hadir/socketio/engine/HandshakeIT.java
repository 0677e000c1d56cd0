package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import io.hadir.testing.RawWebSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@ExtendWith(NoLeaks.class)
class HandshakeIT {
    private static final String OPEN = "0\\{\"sid\":\"[\\w-]{20}\",\"upgrades\":\\[%s],\"pingInterval\":25000,"
            + "\"pingTimeout\":20000,\"maxPayload\":100000}";

    private static Response get(TestServer server, String query, String... headers) throws Exception {
        try (RawConnection client = server.connect()) {
            return client.get(TestServer.PATH + query, headers).response();
        }
    }

    @Test
    void pollingOpensASession() throws Exception {
        try (TestServer server = TestServer.start()) {
            Response response = get(server, "?EIO=4&transport=polling");
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Content-Type")).isEqualTo("text/plain; charset=UTF-8");
            assertThat(response.header("Cache-Control")).isEqualTo("no-store");
            assertThat(response.body()).matches(OPEN.formatted("\"websocket\""));
            assertThat(server.engine().sessions()).isEqualTo(1);
        }
    }

    @Test
    void aWebSocketOpensASessionThatCannotBeUpgraded() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket =
                        RawWebSocket.open(server.port(), TestServer.PATH + "?EIO=4&transport=websocket")) {
            assertThat(socket.next().text()).matches(OPEN.formatted(""));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "EIO=4, 0, Transport unknown",
        "EIO=4&transport=, 0, Transport unknown",
        "EIO=4&transport=abc, 0, Transport unknown",
        "EIO=4&transport=Polling, 0, Transport unknown",
        "EIO=4&transport=polling&sid=abc, 1, Session ID unknown",
        "EIO=4&transport=polling&sid=, 1, Session ID unknown",
        "EIO=4&transport=websocket, 3, Bad request",
        "transport=polling, 5, Unsupported protocol version",
        "EIO=3&transport=polling, 5, Unsupported protocol version",
        "EIO=abc&transport=polling, 5, Unsupported protocol version",
        "EIO=&transport=polling, 5, Unsupported protocol version",
    })
    void anErrorHasItsNumber(String query, int code, String message) throws Exception {
        try (TestServer server = TestServer.start()) {
            Response response = get(server, "?" + query);
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.header("Content-Type")).isEqualTo("application/json");
            assertThat(response.body()).isEqualTo("{\"code\":%d,\"message\":\"%s\"}".formatted(code, message));
            assertThat(server.engine().sessions()).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"EIO=4&transport=abc, 0", "EIO=3&transport=websocket, 5", "EIO=4&transport=polling, 3"})
    void aRefusedWebSocketGetsTheSameNumbers(String query, int code) throws Exception {
        try (TestServer server = TestServer.start()) {
            Response response = get(server, "?" + query, RawWebSocket.handshake());
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).startsWith("{\"code\":" + code + ",");
        }
    }

    @ParameterizedTest
    @CsvSource({"POST", "PUT", "DELETE", "PATCH", "HEAD", "BREW"})
    void onlyAGetOpensASession(String method) throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection client = server.connect()) {
            client.send(method + " /socket.io/?EIO=4&transport=polling HTTP/1.1\r\nHost: x\r\n\r\n");
            Response response = method.equals("HEAD") ? client.head() : client.response();
            assertThat(response.status()).isEqualTo(400);
            if (!method.equals("HEAD")) {
                assertThat(response.body()).isEqualTo("{\"code\":2,\"message\":\"Bad handshake method\"}");
            }
            assertThat(server.engine().sessions()).isZero();
        }
    }

    @Test
    void aPreflightFromAnAllowedOriginIsAnswered() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().origins("https://app.example").start();
                RawConnection client = server.connect()) {
            Response preflight = client.request(
                            "OPTIONS",
                            "/socket.io/?EIO=4&transport=polling",
                            "Origin: https://app.example",
                            "Access-Control-Request-Method: POST",
                            "Access-Control-Request-Headers: x-one, x-two")
                    .head();
            assertThat(preflight.status()).isEqualTo(204);
            assertThat(preflight.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example");
            assertThat(preflight.header("Access-Control-Allow-Methods")).isEqualTo("GET, POST");
            assertThat(preflight.header("Access-Control-Allow-Headers")).isEqualTo("x-one, x-two");
            assertThat(preflight.header("Vary")).isEqualTo("Origin");

            Response open = client.get("/socket.io/?EIO=4&transport=polling", "Origin: https://app.example")
                    .response();
            assertThat(open.header("Access-Control-Allow-Origin")).isEqualTo("https://app.example");
            assertThat(open.header("Access-Control-Allow-Credentials")).isEqualTo("true");
        }
    }

    @Test
    void aFullServerOpensNoMoreSessions() throws Exception {
        try (TestServer server = new TestServer.Setup().maxSessions(1).start();
                RawWebSocket first = server.connectedWebSocket()) {
            assertThat(get(server, "?EIO=4&transport=polling").status()).isEqualTo(503);
            assertThat(get(server, "?EIO=4&transport=websocket", RawWebSocket.handshake())
                            .status())
                    .isEqualTo(503);
            first.send("42[\"message\"]");
            assertThat(first.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void theOpenPacketContainsTheServersSettings() throws Exception {
        try (TestServer server = new TestServer.Setup()
                .pings(Duration.ofMillis(700), Duration.ofMillis(900))
                .maxPayload(1234)
                .start()) {
            assertThat(get(server, "?EIO=4&transport=polling").body())
                    .contains("\"pingInterval\":700,\"pingTimeout\":900,\"maxPayload\":1234}");
        }
    }
}
