package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class UpgradeIT {
    @Test
    void aProbedWebSocketTakesOver() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            RawConnection poll = client.poll();
            RawWebSocket socket = client.offer().send("2probe");
            assertThat(socket.next().text()).isEqualTo("3probe");
            assertThat(poll.response().body()).isEqualTo("6");
            socket.send("5").send("42[\"message\",1]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\",1]");
            assertThat(server.engine().sessions()).isEqualTo(1);
            socket.hangUp();
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.TRANSPORT_CLOSE));
        }
    }

    @Test
    void packetsWaitingForAPollLeaveByTheUpgradedWebSocket() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            client.send("42[\"message\",1]", "42[\"message\",2]");
            try (RawWebSocket socket = client.upgrade()) {
                assertThat(socket.text()).isEqualTo("42[\"message-back\",1]");
                assertThat(socket.text()).isEqualTo("42[\"message-back\",2]");
            }
        }
    }

    @Test
    void aPollDuringAnUpgradeIsReleased() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket socket = client.offer().send("2probe")) {
            assertThat(socket.next().text()).isEqualTo("3probe");
            assertThat(client.fetch().body()).isEqualTo("6");
        }
    }

    @Test
    void requestsAfterTheUpgradeAreRefusedAndDoNoHarm() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket socket = client.upgrade().send("42[\"message\",1]")) {
            assertThat(socket.text()).isEqualTo("42[\"message-back\",1]");
            assertThat(client.fetch().body()).startsWith("{\"code\":3,");
            assertThat(client.send("42[\"message\",9]").body()).startsWith("{\"code\":3,");
            try (RawWebSocket second = client.offer()) {
                assertThat(second.closeCode()).isEqualTo(1000);
                assertThat(second.connection().isClosedByServer()).isTrue();
            }
            socket.send("42[\"message\",2]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\",2]");
        }
    }

    @Test
    void aSecondOfferIsRefused() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket first = client.offer().send("2probe")) {
            assertThat(first.next().text()).isEqualTo("3probe");
            try (RawWebSocket second = client.offer()) {
                assertThat(second.closeCode()).isEqualTo(1000);
            }
            first.send("5").send("42[\"message\",1]");
            assertThat(first.text()).isEqualTo("42[\"message-back\",1]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5", "40", "2", "3", "", "2probex"})
    void anythingButAProbeClosesTheOffer(String packet) throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawWebSocket socket = client.offer().send(packet)) {
            assertThat(socket.connection().isClosedByServer()).isTrue();
            client.send("42[\"message\",1]");
            assertThat(client.packet()).isEqualTo("42[\"message-back\",1]");
            // The server may not have removed the first offer yet.
            try (RawWebSocket next = await().ignoreExceptions().until(client::upgrade, upgraded -> true)) {
                next.send("42[\"message\",2]");
                assertThat(next.text()).isEqualTo("42[\"message-back\",2]");
            }
        }
    }

    @Test
    void anOfferThatIsNotCompletedIsClosed() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .upgradeTimeout(Duration.ofMillis(200))
                        .start();
                PollingClient client = server.connectedPolling();
                RawWebSocket silent = client.offer();
                RawWebSocket probed = upgradeOf(server)) {
            assertThat(silent.connection().isClosedByServer()).isTrue();
            assertThat(probed.connection().isClosedByServer()).isTrue();
            client.send("42[\"message\",1]");
            assertThat(client.packet()).isEqualTo("42[\"message-back\",1]");
            assertThat(server.heard().disconnected()).isZero();
        }
    }

    private static RawWebSocket upgradeOf(TestServer server) throws Exception {
        return server.connectedPolling().offer().send("2probe");
    }
}
