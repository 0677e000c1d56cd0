package io.hadir.socketio.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawWebSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Too many valid packets, and malicious JSON. */
@ExtendWith(NoLeaks.class)
class FloodIT {
    @Test
    void a25_aFloodIsLimitedThenClosedAndOthersAreUnaffected() throws Exception {
        try (TestServer server = new TestServer.Setup().eventsPerSecond(10).start();
                RawWebSocket other = server.connectedWebSocket();
                RawWebSocket flood = server.connectedWebSocket()) {
            try {
                for (int i = 0; i < 500; i++) {
                    flood.send("42[\"n\"]");
                }
            } catch (IOException closedAlready) {
                // The server closed the connection first.
            }
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(server.heard().lives())
                    .filteredOn(life -> life.end() != null)
                    .singleElement()
                    .satisfies(life -> {
                        assertThat(life.end()).isEqualTo(DisconnectReason.SERVER_DISCONNECT);
                        assertThat(life.events()).hasSizeBetween(19, 40);
                        assertThat(life.calls().stream()
                                        .filter("limited"::equals)
                                        .count())
                                .isBetween(10L, 60L);
                    });
            other.send("42[\"message\"]");
            assertThat(other.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void a25_aPollingBodyFullOfEventsCountsAsAFlood() throws Exception {
        try (TestServer server = new TestServer.Setup().eventsPerSecond(10).start();
                PollingClient flood = server.connectedPolling()) {
            flood.send(Collections.nCopies(5_000, "42[\"n\"]").toArray(String[]::new));
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(server.heard().only().events()).hasSizeBetween(19, 40);
        }
    }

    @Test
    void a55_aBodyOfTooManyPacketsEndsTheSession() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            assertThat(client.send(Collections.nCopies(10_001, "42[\"n\"]").toArray(String[]::new))
                            .status())
                    .isEqualTo(400);
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(server.heard().only().events()).isEmpty();
            assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.PARSE_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"6", "3"})
    void a55_aFloodOfNoopsOrPongsBeforeConnectIsClosed(String packet) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket other = server.connectedWebSocket();
                RawWebSocket flood = server.webSocket();
                PollingClient polling = server.polling()) {
            flood(() -> flood.send(packet));
            polling.send(Collections.nCopies(1_000, packet).toArray(String[]::new));
            await().until(() -> server.engine().floods() == 2 && server.engine().sessions() == 1);
            assertThat(flood.connection().isClosedByServer()).isTrue();
            other.send("42[\"message\"]");
            assertThat(other.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {RawWebSocket.PING, RawWebSocket.PONG})
    void a55_aFloodOfWebSocketPingsOrPongsBeforeConnectIsClosed(int opcode) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket flood = server.webSocket()) {
            flood(() -> flood.frame(RawWebSocket.FIN | opcode, "x"));
            await().until(() -> server.engine().sessions() == 0);
            assertThat(server.engine().floods()).isEqualTo(1);
        }
    }

    @Test
    void a55_aFloodOnAnOfferedWebSocketClosesOnlyTheOffer() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket offer = client.offer()) {
            flood(() -> offer.frame(RawWebSocket.FIN | RawWebSocket.PING, "x"));
            await().until(() -> server.engine().floods() == 1);
            client.send("42[\"message\"]");
            assertThat(client.packet()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void a55_aClientThatAnswersManyPingsAndSendsSomeNoopsStays() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .pings(Duration.ofMillis(5), Duration.ofSeconds(5))
                        .start();
                RawWebSocket socket = server.connectedWebSocket()) {
            for (int i = 0; i < 200; i++) {
                assertThat(socket.next().text()).isEqualTo("2");
                socket.send("3");
            }
            for (int i = 0; i < 50; i++) {
                socket.send("6").frame(RawWebSocket.FIN | RawWebSocket.PONG, "");
            }
            socket.send("42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    private interface Sending {
        void one() throws IOException;
    }

    private static void flood(Sending sending) {
        try {
            for (int i = 0; i < 1_000; i++) {
                sending.one();
            }
        } catch (IOException closedAlready) {
            // The server closed the connection first.
        }
    }

    @Test
    void withoutALimitAThousandEventsAtOnceAreAllHandled() throws Exception {
        String[] events = Collections.nCopies(1_000, "42[\"n\"]").toArray(String[]::new);
        try (TestServer server = new TestServer.Setup().eventsPerSecond(0).start();
                RawWebSocket socket = server.connectedWebSocket();
                PollingClient polling = server.connectedPolling()) {
            socket.send(events);
            assertThat(polling.send(events).status()).isEqualTo(200);
            await().until(() -> server.heard().lives().stream()
                    .allMatch(life -> life.events().size() == 1_000));
            assertThat(server.heard().disconnected()).isZero();
        }
    }

    @Test
    void a25_repeatedConnectsAndDisconnectsAreLimited() throws Exception {
        try (TestServer server = new TestServer.Setup().eventsPerSecond(10).start();
                RawWebSocket flap = server.webSocket()) {
            try {
                for (int i = 0; i < 200; i++) {
                    flap.send("40", "41");
                }
            } catch (IOException closedAlready) {
                // The server closed the connection first.
            }
            await().until(() -> server.engine().sessions() == 0);
            assertThat(server.heard().connected()).isLessThan(60);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[DEPTH",
                "{DEPTH",
                "DIGITS",
                "-DIGITS",
                "1e999999999",
                "0.DIGITS",
                "{\"a\":1,\"a\":1}",
                "{\"NAME\":1}",
                "[1",
                "nul",
                "\"\\u00\"",
                "'a'",
                "[NaN]",
                "{\"a\":{\"b\":1,\"b\":1}}"
            })
    void a20_maliciousJsonIsRefused(String json) throws Exception {
        String bomb = json.replace("[DEPTH", "[".repeat(20_000))
                .replace("{DEPTH", "{\"a\":".repeat(10_000))
                .replace("DIGITS", "9".repeat(50_000))
                .replace("NAME", "n".repeat(50_000));
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket().send("42[\"message\"," + bomb + "]")) {
            if (json.equals("1e999999999")) {
                assertThat(socket.text()).startsWith("42[\"message-back\"");
                return;
            }
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().only().end() == DisconnectReason.PARSE_ERROR);
            assertThat(server.heard().only().events()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0{\"a\":", "0[[[[", "0{\"token\":1,\"token\":2}", "0\"x\"", "01", "0nul"})
    void a20_aBadHandshakePayloadIsRefused(String packet) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("4" + packet)) {
            assertThat(socket.connection().isClosedByServer()).isTrue();
            assertThat(server.heard().connected()).isZero();
        }
    }

    @Test
    void a21_thousandsOfFieldsAndOddNamesReachTheListenerUnchanged() throws Exception {
        StringBuilder fields = new StringBuilder("{\"__proto__\":{\"x\":1},\"constructor\":null,\"\":0");
        for (int i = 0; i < 5_000; i++) {
            fields.append(",\"f").append(i).append("\":").append(i);
        }
        fields.append('}');
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("42[\"message\"," + fields + "]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"," + fields + "]");
            socket.send("42[\"__proto__\"]", "42[\"toString\",1]").send("42[\"\"]", "42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void a32_payloadsAreNeverLoggedEvenWhenTheListenerFails() throws Exception {
        try (TestServer server = new TestServer.Setup().expectTroubles().start();
                RawWebSocket socket = server.webSocket().send("40{\"token\":\"s3cret\"}")) {
            socket.send("42[\"fail\",\"s3cret\\n\\u001b[31m\"]");
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(server.logs().all()).isNotEmpty().noneMatch(line -> line.contains("s3cret"));
        }
    }
}
