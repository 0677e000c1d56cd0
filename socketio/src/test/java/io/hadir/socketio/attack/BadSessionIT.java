package io.hadir.socketio.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import io.hadir.testing.RawWebSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class BadSessionIT {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "EIO=4&transport=__proto__",
                "EIO=4&transport=constructor",
                "EIO=4&transport=polling&transport=polling",
                "EIO=4&transport=polling&transport=websocket",
                "EIO=4&EIO=4&transport=polling",
                "EIO=4&EIO=3&transport=polling",
                "EIO[]=4&transport=polling",
                "EIO=04&transport=polling",
                "EIO=4%20&transport=polling",
                "EIO=4&transport=polling%00",
                "EIO=4&transport=webtransport",
                "eio=4&transport=polling",
                "EIO=4&transport=polling&sid=__proto__",
                "EIO=4&transport=polling&sid=..%2F..%2Fetc%2Fpasswd",
                "EIO=4&transport=polling&sid=a&sid=b",
                "EIO=4&transport=polling&sid=%0d%0aX-Evil:1",
                "",
                "EIO=4",
                "&&&=&="
            })
    void a09_aBadQueryIsRefusedWithANumberedError(String query) throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection client = server.connect()) {
            Response response = client.get("/socket.io/?" + query).response();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).matches("\\{\"code\":[0-5],\"message\":\"[A-Za-z ]+\"}");
            assertThat(response.headers()).doesNotContainKey("x-evil");
            assertThat(server.engine().sessions()).isZero();
        }
    }

    @Test
    void a09_aGiantSidIsRefused() throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection client = server.connect()) {
            String sid = "x".repeat(8_000);
            Response response =
                    client.get("/socket.io/?EIO=4&transport=polling&sid=" + sid).response();
            assertThat(response.body()).startsWith("{\"code\":1,");
        }
    }

    @Test
    void a09_aUriThatIsNotPercentEncodedTextIsRefused() throws Exception {
        try (TestServer server = TestServer.start()) {
            for (String query : new String[] {"%", "EIO=%4", "a=%zz", "EIO=4&transport=%c3"}) {
                try (RawConnection client = server.connect()) {
                    assertThat(client.get("/socket.io/?" + query).response().status())
                            .as(query)
                            .isEqualTo(400);
                }
            }
        }
    }

    @Test
    void a10_ofTwoConcurrentUpgradesOnlyTheFirstCounts() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket first = client.offer().send("2probe")) {
            assertThat(first.next().text()).isEqualTo("3probe");
            try (RawWebSocket second = client.offer().send("2probe", "5", "42[\"message\",\"stolen\"]")) {
                assertThat(second.connection().isClosedByServer()).isTrue();
            }
            first.send("5", "5");
            assertThat(first.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(server.heard().only().events()).isEmpty();
        }
    }

    @Test
    void a10_anUpgradeOfAClosedSessionIsRefused() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawConnection late = server.connect()) {
            RawConnection poll = client.poll();
            client.send("1");
            assertThat(poll.response().body()).isEqualTo("6");
            await().until(() -> server.engine().sessions() == 0);
            Response response = late.get(client.target().replace("polling", "websocket"), RawWebSocket.handshake())
                    .response();
            assertThat(response.status()).isEqualTo(400);
            assertThat(response.body()).startsWith("{\"code\":1,");
        }
    }

    @Test
    void a10_anUpgradeOfALingeringSessionIsRefused() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            client.send("42[\"drop\"]");
            await().until(() -> server.heard().disconnected() == 1);
            try (RawWebSocket late = client.offer().send("2probe", "5", "42[\"message\"]")) {
                assertThat(late.connection().isClosedByServer()).isTrue();
            }
            assertThat(client.fetch().body()).isEqualTo("1");
        }
    }

    @Test
    void a10_aWebSocketSessionRefusesPolls() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = RawWebSocket.open(server.port(), "/socket.io/?EIO=4&transport=websocket");
                RawConnection other = server.connect()) {
            String sid = socket.next().text().replaceAll(".*\"sid\":\"([^\"]+)\".*", "$1");
            String target = "/socket.io/?EIO=4&transport=polling&sid=" + sid;
            assertThat(other.get(target).response().body()).startsWith("{\"code\":3,");
            assertThat(other.post(target, "42[\"message\"]").response().body()).startsWith("{\"code\":3,");
            try (RawWebSocket thief = RawWebSocket.open(server.port(), target.replace("polling", "websocket"))) {
                assertThat(thief.connection().isClosedByServer()).isTrue();
            }
            socket.send("40");
            assertThat(socket.text()).startsWith("40{");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade|Upgrade: websocket",
                "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 13",
                "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 8|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 13|Sec-WebSocket-Key: x",
                "Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 13|Sec-WebSocket-Key: "
                        + "dGhlIHNhbXBsZSBub25jZQdGhlIHNhbXBsZSBub25jZQ==",
                "Connection: Upgrade|Upgrade: h2c|Sec-WebSocket-Version: 13|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                "Connection: keep-alive|Upgrade: websocket|Sec-WebSocket-Version: 13|Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
            })
    void a10_anIncompleteWebSocketHandshakeIsRefused(String headers) throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection client = server.connect()) {
            client.get("/socket.io/?EIO=4&transport=websocket", headers.split("\\|", -1));
            assertThat(client.response().status()).isEqualTo(400);
            assertThat(server.engine().sessions()).isZero();
        }
    }

    @Test
    void a10_aWebSocketOverHttp10IsRefused() throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection client = server.connect()) {
            client.send("GET /socket.io/?EIO=4&transport=websocket HTTP/1.0\r\nHost: x\r\n"
                    + String.join("\r\n", RawWebSocket.handshake()) + "\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(400);
            assertThat(server.engine().sessions()).isZero();
        }
    }

    @Test
    void a10_framesSentBeforeTheHandshakeIsAnsweredDoNoHarm() throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection eager = server.connect();
                RawWebSocket other = server.connectedWebSocket()) {
            byte[] request = ("GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\n"
                            + String.join("\r\n", RawWebSocket.handshake()) + "\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII);
            byte[] frame = RawWebSocket.masked(RawWebSocket.FIN | RawWebSocket.TEXT, new byte[] {'4', '0'});
            byte[] both = Arrays.copyOf(request, request.length + frame.length);
            System.arraycopy(frame, 0, both, request.length, frame.length);
            eager.send(both);
            assertThat(eager.head().status()).isEqualTo(101);
            eager.reset();
            await().until(() -> server.engine().sessions() == 1);
            other.send("42[\"message\"]");
            assertThat(other.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void a33_aForeignOriginIsRefusedOnBothTransports() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().origins("https://app.example").start();
                RawConnection client = server.connect()) {
            for (String origin :
                    new String[] {"https://evil.example", "null", "https://app.example.evil.example", "x"}) {
                String[] headers = RawWebSocket.handshake("Origin: " + origin);
                for (Response response : new Response[] {
                    client.get("/socket.io/?EIO=4&transport=polling", "Origin: " + origin)
                            .response(),
                    client.get("/socket.io/?EIO=4&transport=websocket", headers).response()
                }) {
                    assertThat(response.status()).isEqualTo(403);
                    assertThat(response.body()).isEqualTo("{\"code\":4,\"message\":\"Forbidden\"}");
                    assertThat(response.headers()).doesNotContainKey("access-control-allow-origin");
                }
            }
            assertThat(server.engine().sessions()).isZero();
            // At most one a second; the first one names the page.
            assertThat(server.logs().all())
                    .anyMatch(line -> line.contains("https://evil.example: it is not one of the allowed"));
        }
    }

    @Test
    void a33_aForeignOriginMayNotPostToAnOpenSession() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().origins("https://app.example").start();
                PollingClient client = server.connectedPolling();
                RawConnection foreign = server.connect()) {
            Response response = foreign.post(client.target(), "42[\"message\"]", "Origin: https://evil.example")
                    .response();
            assertThat(response.status()).isEqualTo(403);
            assertThat(server.heard().only().events()).isEmpty();
        }
    }
}
