package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.Echo;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;

/**
 * Every connected is followed by one disconnected, whatever happens. The test server checks the rest when it closes.
 */
@ExtendWith(NoLeaks.class)
class ExactlyOnceIT {
    private static void awaitEnd(TestServer server, DisconnectReason reason) {
        await().untilAsserted(() -> assertThat(server.heard().only().end()).isEqualTo(reason));
        assertThat(server.heard().only().calls()).containsSubsequence("connected", "disconnecting", "disconnected");
        await().until(() -> server.engine().sessions() == 0);
        assertThat(server.namespace().size()).isZero();
    }

    @Test
    void aWebSocketThatHangsUpDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.hangUp();
            awaitEnd(server, DisconnectReason.TRANSPORT_CLOSE);
        }
    }

    @Test
    void aResetWebSocketDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.reset();
            awaitEnd(server, DisconnectReason.TRANSPORT_ERROR);
        }
    }

    @Test
    void aWebSocketThatEndsInEveryWayAtOnceDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("41", "1").frame(RawWebSocket.FIN | RawWebSocket.CLOSE, new byte[] {3, (byte) 232});
            socket.reset();
            awaitEnd(server, DisconnectReason.CLIENT_DISCONNECT);
        }
    }

    @Test
    void aHalfClosedWebSocketDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.connection().finish();
            awaitEnd(server, DisconnectReason.TRANSPORT_CLOSE);
        }
    }

    @Test
    void aResetPollDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            assertThat(client.poll().isSilentFor(Duration.ofMillis(100))).isTrue();
            client.reset();
            awaitEnd(server, DisconnectReason.TRANSPORT_ERROR);
        }
    }

    @Test
    void aPollingClientThatNeverReturnsDisconnectsOnce() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .pings(Duration.ofMillis(200), Duration.ofMillis(200))
                        .start();
                PollingClient client = server.connectedPolling()) {
            client.reset();
            awaitEnd(server, DisconnectReason.PING_TIMEOUT);
        }
    }

    @Test
    void anOfferResetBeforeItsProbeDoesNoHarm() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            client.offer().reset();
            client.send("42[\"message\",1]");
            assertThat(client.packet()).isEqualTo("42[\"message-back\",1]");
            upgradeOnceMore(client);
            awaitEnd(server, DisconnectReason.TRANSPORT_CLOSE);
        }
    }

    @Test
    void anOfferResetAfterItsProbeDoesNoHarm() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            RawWebSocket offer = client.offer().send("2probe");
            assertThat(offer.next().text()).isEqualTo("3probe");
            offer.reset();
            client.send("42[\"message\",1]");
            assertThat(client.packet()).isEqualTo("42[\"message-back\",1]");
            upgradeOnceMore(client);
            awaitEnd(server, DisconnectReason.TRANSPORT_CLOSE);
        }
    }

    private static void upgradeOnceMore(PollingClient client) {
        await().ignoreExceptions().untilAsserted(() -> {
            try (RawWebSocket socket = client.upgrade().send("42[\"message\",2]")) {
                assertThat(socket.text()).isEqualTo("42[\"message-back\",2]");
            }
        });
    }

    @Test
    void aWebSocketResetRightAfterItsUpgradeDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            client.upgrade().reset();
            await().until(() -> server.heard().disconnected() == 1);
        }
    }

    @Test
    void aSessionClosedDuringItsUpgradeDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket offer = client.offer().send("2probe")) {
            assertThat(offer.next().text()).isEqualTo("3probe");
            client.send("42[\"drop\"]");
            offer.send("5");
            assertThat(offer.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
            client.fetch();
            awaitEnd(server, DisconnectReason.SERVER_DISCONNECT);
        }
    }

    @Test
    void closingDuringAnUpgradeDisconnectsOnce() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket offer = client.offer().send("2probe")) {
            assertThat(offer.next().text()).isEqualTo("3probe");
            client.send("1");
            assertThat(offer.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().only().end() == DisconnectReason.TRANSPORT_CLOSE);
        }
    }

    @Test
    void bothSocketsOfASessionEndWithIt() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket().send("40/custom,")) {
            assertThat(socket.text()).startsWith("40/custom,");
            socket.reset();
            awaitEnd(server, DisconnectReason.TRANSPORT_ERROR);
            assertThat(server.heardInCustom().disconnected()).isEqualTo(1);
        }
    }

    private enum Method {
        CONNECTING,
        CONNECTED,
        EVENT,
        LIMITED,
        DISCONNECTING,
        DISCONNECTED
    }

    /** Throws an exception or an error in one of its methods. */
    private static final class Failing extends Echo {
        private final Method at;
        private final boolean error;

        Failing(Namespace namespace, Method at, boolean error) {
            super(namespace);
            this.at = at;
            this.error = error;
        }

        private void failAt(Method method) {
            if (at == method) {
                if (error) {
                    throw new StackOverflowError("as asked");
                }
                throw new IllegalStateException("as asked");
            }
        }

        @Override
        public CompletionStage<Admission> connecting(Handshake handshake) {
            failAt(Method.CONNECTING);
            return super.connecting(handshake);
        }

        @Override
        public void connected(Socket socket) {
            failAt(Method.CONNECTED);
        }

        @Override
        public void event(Socket socket, String name, List<JsonNode> arguments, Ack ack) {
            failAt(Method.EVENT);
        }

        @Override
        public void limited(Socket socket, String name, Ack ack, Duration wait) {
            failAt(Method.LIMITED);
        }

        @Override
        public void disconnecting(Socket socket, DisconnectReason reason) {
            failAt(Method.DISCONNECTING);
        }

        @Override
        public void disconnected(Socket socket, DisconnectReason reason) {
            failAt(Method.DISCONNECTED);
        }
    }

    @ParameterizedTest
    @EnumSource(Method.class)
    void aListenerThatThrowsAnExceptionLosesOnlyThatSocket(Method at) throws Exception {
        failing(at, false);
    }

    @ParameterizedTest
    @EnumSource(Method.class)
    void aListenerThatThrowsAnErrorLosesOnlyThatSocket(Method at) throws Exception {
        failing(at, true);
    }

    private static void failing(Method at, boolean error) throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .listener(namespace -> new Failing(namespace, at, error))
                        .eventsPerSecond(2)
                        .expectTroubles()
                        .start();
                RawWebSocket socket = server.webSocket().send("40");
                RawWebSocket other = server.webSocket().send("40/custom,")) {
            try {
                for (int i = 0; i < 6; i++) {
                    socket.send("42[\"x\"]");
                }
                if (at == Method.DISCONNECTING || at == Method.DISCONNECTED) {
                    socket.send("1");
                }
            } catch (IOException closedAlready) {
                assertThat(at).isNotEqualTo(Method.DISCONNECTED);
            }
            assertThat(socket.connection().isClosedByServer()).isTrue();
            int expected = at == Method.CONNECTING ? 0 : 1;
            await().untilAsserted(
                            () -> assertThat(server.heard().disconnected()).isEqualTo(expected));
            assertThat(server.heard().connected()).isEqualTo(expected);
            if (at.compareTo(Method.CONNECTED) > 0) {
                assertThat(other.text()).startsWith("40/custom,");
            }
        }
    }

    @Test
    void aListenerMayBroadcastFromDisconnected() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket watcher = server.connectedWebSocket().send("420[\"enter\",\"watch\"]");
                RawWebSocket leaver = server.connectedWebSocket().send("420[\"enter\",\"watch\"]")) {
            assertThat(watcher.text()).isEqualTo("430[]");
            assertThat(leaver.text()).isEqualTo("430[]");
            leaver.send("1");
            assertThat(watcher.text()).matches("42\\[\"gone\",\"test\\.[\\w-]+\",\"transport close\"]");
        }
    }

    @Test
    void cancelledUpgradeRequestsDoNoHarm() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            for (int i = 0; i < 20; i++) {
                try (RawConnection connection = server.connect()) {
                    connection.get(client.target().replace("polling", "websocket"), RawWebSocket.handshake());
                    connection.reset();
                }
            }
            client.send("42[\"message\",1]");
            assertThat(client.packet()).isEqualTo("42[\"message-back\",1]");
        }
    }
}
