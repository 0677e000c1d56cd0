package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.Echo;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawWebSocket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class ConnectIT {
    @Test
    void aClientConnectsToTheMainNamespace() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("40")) {
            assertThat(socket.text()).matches("40\\{\"sid\":\"test\\.[\\w-]{12}\"}");
        }
    }

    @Test
    void thePayloadReachesTheListener() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("40{\"token\":\"abc\"}")) {
            assertThat(socket.text()).startsWith("40{");
            assertThat(socket.text()).isEqualTo("42[\"auth\",{\"token\":\"abc\"}]");
        }
    }

    @Test
    void namespacesOfOneConnectionHaveTheirOwnSockets() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("40/custom,{\"token\":1}")) {
            assertThat(socket.text()).startsWith("40/custom,{\"sid\":");
            assertThat(socket.text()).isEqualTo("42/custom,[\"auth\",{\"token\":1}]");
            socket.send("40");
            assertThat(socket.text()).startsWith("40{");
            socket.send("41/custom,", "42[\"message\",1]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\",1]");
            await().untilAsserted(() ->
                    assertThat(server.heardInCustom().only().end()).isEqualTo(DisconnectReason.CLIENT_DISCONNECT));
            assertThat(server.heard().disconnected()).isZero();
            socket.send("40/custom,");
            assertThat(socket.text()).startsWith("40/custom,");
            assertThat(server.heardInCustom().connected()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/unknown", "/Custom", "/custom/", "/custom?x=1", "/é😀", "//"})
    void anUnknownNamespaceIsRefusedByItsName(String name) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("40" + name + ",")) {
            assertThat(socket.text()).isEqualTo("44" + name + ",{\"message\":\"Invalid namespace\"}");
        }
    }

    @Test
    void aRefusedClientMayTryAgain() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("40{\"refuse\":\"no entry\"}")) {
            assertThat(socket.text()).isEqualTo("44{\"message\":\"no entry\"}");
            assertThat(server.heard().connected()).isZero();
            socket.send("40");
            assertThat(socket.text()).startsWith("40{");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"42[\"message\",1]", "41", "430[]", "42/custom,[\"message\"]", "451-[\"message\"]"})
    void aRefusedClientThatContinuesAnywayIsClosed(String packet) throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("40{\"refuse\":\"no entry\"}")) {
            assertThat(socket.text()).startsWith("44");
            socket.send(packet).send(new byte[0]);
            assertThat(socket.connection().isClosedByServer()).isTrue();
            assertThat(server.heard().connected()).isZero();
        }
    }

    @Test
    void connectingTwiceIsAnError() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket().send("40")) {
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(server.heard().connected()).isEqualTo(1);
        }
    }

    @Test
    void aSessionThatNeverConnectsIsClosed() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .connectTimeout(Duration.ofMillis(200))
                        .start();
                RawWebSocket silent = server.webSocket();
                RawWebSocket refused = server.webSocket().send("40{\"refuse\":\"no\"}");
                PollingClient polling = server.polling();
                RawWebSocket connected = server.connectedWebSocket()) {
            assertThat(silent.connection().isClosedByServer()).isTrue();
            assertThat(refused.connection().isClosedByServer()).isTrue();
            assertThat(polling.fetch().body()).isEqualTo("1");
            connected.send("42[\"message\"]");
            assertThat(connected.text()).isEqualTo("42[\"message-back\"]");
            await().until(() -> server.engine().sessions() == 1);
        }
    }

    @Test
    void aSessionWithoutANamespaceIsClosedAfterTheConnectTimeout() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .connectTimeout(Duration.ofMillis(200))
                        .start();
                RawWebSocket socket = server.connectedWebSocket().send("41")) {
            assertThat(socket.connection().isClosedByServer()).isTrue();
            assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.CLIENT_DISCONNECT);
        }
    }

    /** Admits clients when the test says so. */
    private static final class Slow extends Echo {
        private final CompletableFuture<Admission> answer;

        Slow(Namespace namespace, CompletableFuture<Admission> answer) {
            super(namespace);
            this.answer = answer;
        }

        @Override
        public CompletionStage<Admission> connecting(Handshake handshake) {
            return handshake.auth().isEmpty() ? super.connecting(handshake) : answer;
        }
    }

    @Test
    void anAdmissionAfterTheClientDisconnectedConnectsNothing() throws Exception {
        CompletableFuture<Admission> answer = new CompletableFuture<>();
        try (TestServer server = new TestServer.Setup()
                        .listener(namespace -> new Slow(namespace, answer))
                        .start();
                RawWebSocket socket = server.webSocket().send("40{\"slow\":1}")) {
            await().until(() -> server.engine().sessions() == 1);
            socket.hangUp();
            await().until(() -> server.engine().sessions() == 0);
            // Until it is admitted, there is nothing to undo.
            assertThat(server.heard().abandoned()).isZero();
            answer.complete(Admission.ACCEPTED);
            server.shutDown();
            assertThat(server.heard().connected()).isZero();
            assertThat(server.heard().abandoned()).isEqualTo(1);
        }
    }

    @Test
    void aSessionEndsWhenItsLastPendingConnectIsRefused() throws Exception {
        CompletableFuture<Admission> answer = new CompletableFuture<>();
        try (TestServer server = new TestServer.Setup()
                        .listener(namespace -> new Slow(namespace, answer))
                        .connectTimeout(Duration.ofMillis(200))
                        .start();
                RawWebSocket socket = server.connectedWebSocket().send("40/custom,{\"slow\":1}", "42[\"kick\"]")) {
            assertThat(socket.text()).isEqualTo("41");
            answer.complete(Admission.refused("no"));
            assertThat(socket.text()).isEqualTo("44/custom,{\"message\":\"no\"}");
            assertThat(socket.connection().isClosedByServerWithin(Duration.ofSeconds(5)))
                    .isTrue();
        }
    }

    @Test
    void aFailedAdmissionIsARefusal() throws Exception {
        CompletableFuture<Admission> answer = CompletableFuture.failedFuture(new IllegalStateException("as asked"));
        try (TestServer server = new TestServer.Setup()
                        .listener(namespace -> new Slow(namespace, answer))
                        .expectTroubles()
                        .start();
                RawWebSocket socket = server.webSocket().send("40{\"slow\":1}")) {
            assertThat(socket.text()).isEqualTo("44{\"message\":\"internal\"}");
        }
    }
}
