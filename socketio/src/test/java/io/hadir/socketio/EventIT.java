package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawWebSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeaks.class)
class EventIT {
    private static final String PLACE = "{\"_placeholder\":true,\"num\":%d}";

    @Test
    void anEventHasItsArguments() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("42[\"message\",1,\"2\",{\"3\":[true,null]}]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\",1,\"2\",{\"3\":[true,null]}]");
            socket.send("42[\"no such event\"]").send("42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void anAcknowledgementHasTheIdOfItsEvent() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("42456[\"message-with-ack\",1,{}]");
            assertThat(socket.text()).isEqualTo("43456[1,{}]");
            socket.send("42[\"message-with-ack\",1]").send("420[\"message-with-ack\"]");
            assertThat(socket.text()).isEqualTo("430[]");
        }
    }

    @Test
    void attachmentsKeepTheirOrder() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            String arguments = PLACE.formatted(0) + "," + PLACE.formatted(1);
            socket.send("452-789[\"message-with-ack\"," + arguments + "]")
                    .send(new byte[] {1, 2, 3})
                    .send(new byte[0]);
            assertThat(socket.text()).isEqualTo("462-789[" + arguments + "]");
            assertThat(socket.next().payload()).containsExactly(1, 2, 3);
            assertThat(socket.next().payload()).isEmpty();
        }
    }

    @Test
    void aClientAcknowledgesAServersEvent() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("42[\"ask\",5000]");
            assertThat(socket.text()).isEqualTo("420[\"question\"]");
            socket.send("430[\"yes\"]");
            assertThat(socket.text()).isEqualTo("42[\"answer\",[\"yes\"]]");
            socket.send("430[\"again\"]").send("42[\"ask\",5000]");
            assertThat(socket.text()).isEqualTo("421[\"question\"]");
        }
    }

    @Test
    void aMissingAcknowledgementIsATimeout() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("42[\"ask\",50]");
            assertThat(socket.text()).isEqualTo("420[\"question\"]");
            assertThat(socket.text()).isEqualTo("42[\"answer\",\"TimeoutException\"]");
        }
    }

    @Test
    void anUnsolicitedAcknowledgementIsIgnored() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket()) {
            socket.send("4399[\"x\"]").send("42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void anAskToASocketThatLeftDoesNotHarmTheSession() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.webSocket().send("40/custom,")) {
            assertThat(socket.text()).startsWith("40/custom,");
            socket.send("40");
            assertThat(socket.text()).startsWith("40{");
            socket.send("42/custom,[\"ask\",100]");
            assertThat(socket.text()).isEqualTo("42/custom,0[\"question\"]");
            socket.send("41/custom,");
            assertThat(socket.connection().isSilentFor(Duration.ofMillis(250))).isTrue();
            socket.send("42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void aBroadcastReachesOnlyItsGroup() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket in = server.connectedWebSocket().send("420[\"enter\",\"g\"]");
                PollingClient polling = server.connectedPolling();
                RawWebSocket out = server.connectedWebSocket()) {
            polling.send("420[\"enter\",\"g\"]");
            assertThat(in.text()).isEqualTo("430[]");
            assertThat(polling.packet()).isEqualTo("430[]");
            out.send("42[\"shout\",\"g\",1]").send("42[\"message\",\"done\"]");
            assertThat(in.text()).isEqualTo("42[\"heard\",1]");
            assertThat(polling.packet()).isEqualTo("42[\"heard\",1]");
            assertThat(out.text()).isEqualTo("42[\"message-back\",\"done\"]");
        }
    }

    @Test
    void aSocketThatReconnectsIsInNoGroups() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket back = server.connectedWebSocket().send("40/custom,");
                RawWebSocket out = server.connectedWebSocket().send("40/custom,")) {
            assertThat(back.text()).startsWith("40/custom,");
            assertThat(out.text()).startsWith("40/custom,");
            back.send("42/custom,0[\"enter\",\"g\"]");
            assertThat(back.text()).isEqualTo("43/custom,0[]");
            back.send("41/custom,").send("40/custom,");
            assertThat(back.text()).startsWith("40/custom,");
            out.send("42/custom,[\"shout\",\"g\",1]").send("42[\"message\"]");
            assertThat(out.text()).isEqualTo("42[\"message-back\"]");
            back.send("42[\"message\"]");
            assertThat(back.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void aDisconnectedClientIsToldAndItsConnectionCloses() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket().send("42[\"kick\"]")) {
            assertThat(socket.text()).isEqualTo("41");
            assertThat(socket.closeCode()).isEqualTo(1000);
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().untilAsserted(() ->
                    assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.SERVER_DISCONNECT));
            await().until(() -> server.engine().sessions() == 0);
        }
    }

    @Test
    void closingASocketSendsNoDisconnectPacket() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket().send("42[\"drop\"]")) {
            assertThat(socket.next().closeCode()).isEqualTo(1000);
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
        }
    }

    @Test
    void aDisconnectedSocketIgnoresCalls() throws Exception {
        try (TestServer server = TestServer.start();
                RawWebSocket socket = server.connectedWebSocket().send("42[\"drop\"]")) {
            assertThat(socket.connection().isClosedByServer()).isTrue();
            await().until(() -> server.heard().disconnected() == 1);
            Socket gone = server.heard().only().socket();
            assertThat(gone.isConnected()).isFalse();
            gone.emit("x");
            gone.join("g");
            gone.disconnect();
            gone.close();
            server.namespace().broadcast("g", "x");
            assertThat(gone.ask(Duration.ofSeconds(1), "x"))
                    .failsWithin(Duration.ofSeconds(5))
                    .withThrowableThat()
                    .withCauseInstanceOf(DisconnectedException.class);
            assertThat(server.namespace().size()).isZero();
            assertThat(server.namespace().socket(gone.id())).isNull();
        }
    }
}
