package io.hadir.socketio.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.DisconnectReason;
import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawConnection.Response;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(NoLeaks.class)
class PollingIT {
    @Test
    void severalPacketsTravelInOneBody() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            Response sent = client.send("42[\"message\",1]", "42[\"message\",\"€\"]", "6", "42[\"message\",3]");
            assertThat(sent.status()).isEqualTo(200);
            assertThat(sent.body()).isEqualTo("ok");
            assertThat(client.fetch().body())
                    .isEqualTo("42[\"message-back\",1]\u001e42[\"message-back\",\"€\"]\u001e42[\"message-back\",3]");
        }
    }

    @Test
    void bytesTravelAsBase64() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            client.send("451-[\"message\",{\"_placeholder\":true,\"num\":0}]", "bAQIDBA==");
            assertThat(client.fetch().body())
                    .isEqualTo("451-[\"message-back\",{\"_placeholder\":true,\"num\":0}]\u001ebAQIDBA==");
        }
    }

    @Test
    void aPollWaitsUntilThereIsSomething() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            RawConnection poll = client.poll();
            assertThat(poll.isSilentFor(Duration.ofMillis(150))).isTrue();
            client.send("42[\"message\"]");
            assertThat(poll.response().body()).isEqualTo("42[\"message-back\"]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"abc", "", "4a\u001e", "7", "bxyz!"})
    void aMalformedBodyEndsTheSession(String body) throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            assertThat(client.send(body).status()).isEqualTo(400);
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.PARSE_ERROR));
            assertThat(client.fetch().status()).isEqualTo(400);
        }
    }

    @Test
    void concurrentPollsEndTheSession() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawConnection other = server.connect()) {
            RawConnection poll = client.poll();
            assertThat(poll.isSilentFor(Duration.ofMillis(100))).isTrue();
            assertThat(other.get(client.target()).response().status()).isEqualTo(400);
            assertThat(poll.response().body()).isEqualTo("1");
            assertThat(other.get(client.target()).response().body()).startsWith("{\"code\":1,");
        }
    }

    @Test
    void anAbandonedPollEndsTheSession() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawConnection poll = server.connect()) {
            poll.get(client.target());
            assertThat(poll.isSilentFor(Duration.ofMillis(100))).isTrue();
            poll.hangUp();
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.TRANSPORT_ERROR));
            assertThat(client.fetch().status()).isEqualTo(400);
            assertThat(server.engine().sessions()).isZero();
        }
    }

    @Test
    void aClientMayCloseItsSession() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            RawConnection poll = client.poll();
            assertThat(client.send("1").status()).isEqualTo(200);
            assertThat(poll.response().body()).isEqualTo("6");
            await().untilAsserted(
                            () -> assertThat(server.heard().only().end()).isEqualTo(DisconnectReason.TRANSPORT_CLOSE));
            assertThat(client.fetch().status()).isEqualTo(400);
        }
    }

    @Test
    void aSessionClosedByTheServerTellsItsClientOnce() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling()) {
            client.send("42[\"message\",1]", "42[\"kick\"]");
            await().until(() -> server.heard().disconnected() == 1);
            assertThat(client.fetch().body()).isEqualTo("42[\"message-back\",1]\u001e41");
            assertThat(client.fetch().body()).isEqualTo("1");
            assertThat(client.fetch().status()).isEqualTo(400);
            assertThat(server.engine().sessions()).isZero();
        }
    }

    @Test
    void postsBehindAnOpenPollAreAnsweredInTurn() throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawConnection one = server.connect()) {
            one.get(client.target()).post(client.target(), "42[\"message\",1]");
            client.send("42[\"message\",0]");
            assertThat(one.response().body()).isEqualTo("42[\"message-back\",0]");
            assertThat(one.response().body()).isEqualTo("ok");
            assertThat(client.packet()).isEqualTo("42[\"message-back\",1]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"PUT", "DELETE", "PATCH"})
    void aSessionRefusesOtherMethods(String method) throws Exception {
        try (TestServer server = TestServer.start();
                PollingClient client = server.connectedPolling();
                RawConnection other = server.connect()) {
            other.send(method + " " + client.target() + " HTTP/1.1\r\nHost: x\r\n\r\n");
            assertThat(other.response().body()).startsWith("{\"code\":3,");
            client.send("42[\"message\"]");
            assertThat(client.packet()).isEqualTo("42[\"message-back\"]");
        }
    }
}
