package io.hadir.socketio.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that are slow, or take more than their share. */
@ExtendWith(NoLeaks.class)
class HoardingIT {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);

    @Test
    void a13_aSilentConnectionIsClosed() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().timeouts(SHORT, LONG, LONG).start();
                RawConnection silent = server.connect()) {
            assertThat(silent.isClosedByServerWithin(Duration.ofSeconds(5))).isTrue();
            await().until(() -> server.connections().taken() == 0);
        }
    }

    @Test
    void a13_slowHeadersHaveADeadlineThatNoByteExtends() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().timeouts(SHORT, LONG, LONG).start();
                RawConnection slow = server.connect().send("GET / HTTP/1.1\r\n")) {
            long start = System.nanoTime();
            assertThat(sendSlowly(slow, "X: y\r\n")).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void a13_aSlowBodyHasADeadlineThatNoByteExtends() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().timeouts(LONG, SHORT, LONG).start();
                RawConnection slow =
                        server.connect().send("POST /socket.io/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10000\r\n\r\n");
                RawConnection chunked = server.connect()
                        .send("POST /socket.io/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")) {
            assertThat(sendSlowly(slow, "x")).isTrue();
            assertThat(sendSlowly(chunked, "1\r\nx\r\n")).isTrue();
        }
    }

    /** Sends a little every few milliseconds; true if the server closes the connection. */
    private static boolean sendSlowly(RawConnection client, String little) throws IOException {
        for (int i = 0; i < 200; i++) {
            try {
                client.send(little);
            } catch (IOException closed) {
                return true;
            }
            if (client.isClosedByServerWithin(Duration.ofMillis(20))) {
                return true;
            }
        }
        return false;
    }

    @Test
    void a13_aKeptConnectionHasADeadlineForItsNextRequest() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().timeouts(LONG, LONG, SHORT).start();
                RawConnection idle = server.connect().get("/nothing")) {
            assertThat(idle.response().status()).isEqualTo(404);
            assertThat(idle.isClosedByServerWithin(Duration.ofSeconds(5))).isTrue();
        }
    }

    @Test
    void a13_aPollMayWaitLongerThanAnyDeadline() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().timeouts(SHORT, SHORT, SHORT).start();
                PollingClient client = server.connectedPolling();
                RawWebSocket socket = server.connectedWebSocket();
                RawConnection late = server.connect()) {
            RawConnection poll = client.poll();
            assertThat(poll.isSilentFor(Duration.ofMillis(700))).isTrue();
            assertThat(late.isClosedByServer()).isTrue();
            server.heard().lives().forEach(life -> life.socket().emit("hello"));
            assertThat(poll.response().body()).isEqualTo("42[\"hello\"]");
            assertThat(socket.text()).isEqualTo("42[\"hello\"]");
        }
    }

    @Test
    void a13_aClientThatDoesNotReadItsLastAnswerIsClosedAnyway() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .timeouts(LONG, LONG, SHORT)
                        .routes(router -> router.route(
                                HttpMethod.GET,
                                "/large",
                                exchange ->
                                        exchange.respond(HttpResponseStatus.OK, "text/plain", "x".repeat(20_000_000))))
                        .start();
                RawConnection deaf = new RawConnection(server.port(), 4_096)) {
            deaf.get("/large", "Connection: close");
            await().until(() -> server.connections().taken() == 0);
        }
    }

    @Test
    void a13_aSessionThatNeverConnectsToANamespaceIsClosed() throws Exception {
        try (TestServer server = new TestServer.Setup().connectTimeout(SHORT).start()) {
            List<AutoCloseable> idle = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                idle.add(i % 2 == 0 ? server.webSocket() : server.polling());
            }
            for (AutoCloseable client : idle) {
                if (client instanceof PollingClient polling) {
                    // The session was closed during the poll or before it.
                    assertThat(polling.fetch().body()).matches("1|.*\"Session ID unknown\".*");
                }
            }
            await().until(() -> server.engine().sessions() == 0);
            for (AutoCloseable client : idle) {
                client.close();
            }
        }
    }

    @Test
    void a15_oneAddressIsLimitedAndItsOpenConnectionsAreUnharmed() throws Exception {
        try (TestServer server = new TestServer.Setup().connections(1_000, 10).start()) {
            List<RawWebSocket> old = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                old.add(server.connectedWebSocket());
            }
            for (int i = 0; i < 50; i++) {
                try (RawConnection refused = server.connect()) {
                    assertThat(refused.isClosedByServer()).isTrue();
                }
            }
            await().until(() -> server.connections().refused() == 50);
            for (RawWebSocket socket : old) {
                socket.send("42[\"message\"]");
                assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
            }
            old.get(0).close();
            await().until(() -> server.connections().taken() == 9);
            server.connectedWebSocket().close();
            for (RawWebSocket socket : old) {
                socket.close();
            }
            await().until(() -> server.connections().taken() == 0);
        }
    }

    @Test
    void a15_allAddressesTogetherAreLimitedAndConnectedClientsAreUnharmed() throws Exception {
        try (TestServer server = new TestServer.Setup().connections(20, 0).start();
                RawWebSocket socket = server.connectedWebSocket();
                PollingClient polling = server.connectedPolling()) {
            RawConnection poll = polling.poll();
            List<RawConnection> idle = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                idle.add(server.connect());
            }
            await().until(() -> server.connections().refused() > 80);
            assertThat(server.connections().taken()).isLessThanOrEqualTo(20);
            assertThat(idle.get(0).isClosedByServer()).isTrue();
            assertThat(idle.get(99).get("/nothing").response().status()).isEqualTo(404);

            socket.send("42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
            server.heard().lives().forEach(life -> life.socket().emit("hello"));
            assertThat(poll.response().body()).isEqualTo("42[\"hello\"]");
            for (RawConnection connection : idle) {
                connection.reset();
            }
        }
    }

    @Test
    void f58_aFullServerStillAnswersShortRequestsButOpensNoSessions() throws Exception {
        try (TestServer server =
                new TestServer.Setup().connections(5, 0).maxSessions(5).start()) {
            List<RawWebSocket> connected = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                connected.add(server.connectedWebSocket());
            }
            for (int i = 0; i < 20; i++) {
                try (RawConnection check = server.connect()) {
                    assertThat(check.get("/nothing").response().status()).isEqualTo(404);
                }
            }
            for (String transport : List.of("polling", "websocket")) {
                try (RawConnection late = server.connect()) {
                    late.get(
                            TestServer.PATH + "?EIO=4&transport=" + transport,
                            transport.equals("websocket") ? RawWebSocket.handshake() : new String[0]);
                    assertThat(late.response().status()).isEqualTo(503);
                }
            }
            for (RawWebSocket socket : connected) {
                socket.send("42[\"message\"]");
                assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
            }
            connected.get(0).close();
            await().until(() -> server.sessions().taken() == 4);
            connected.set(0, server.connectedWebSocket());
            for (RawWebSocket socket : connected) {
                socket.close();
            }
        }
    }

    @Test
    void a51_oneConnectionMayOpenFewSessionsWithoutConnectingThem() throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection stranger = server.connect()) {
            int opened = 0;
            for (int i = 0; i < 500; i++) {
                opened += stranger.get(TestServer.PATH + "?EIO=4&transport=polling")
                                        .response()
                                        .status()
                                == 200
                        ? 1
                        : 0;
            }
            assertThat(opened).isEqualTo(64);
            assertThat(server.engine().sessions()).isEqualTo(64);
            assertThat(server.engine().refused()).isEqualTo(436);
            server.connectedWebSocket().close();
            server.connectedPolling().close();
        }
    }

    @Test
    void a51_aConnectionThatConnectsItsSessionsMayOpenMore() throws Exception {
        try (TestServer server = TestServer.start();
                RawConnection shared = server.connect()) {
            String target = TestServer.PATH + "?EIO=4&transport=polling";
            for (int i = 0; i < 200; i++) {
                String open = shared.get(target).response().body();
                String sid = open.substring(open.indexOf("sid\":\"") + 6, open.indexOf("\",\"upgrades"));
                assertThat(shared.post(target + "&sid=" + sid, "40").response().status())
                        .isEqualTo(200);
                assertThat(shared.get(target + "&sid=" + sid).response().body()).startsWith("40{");
            }
            assertThat(server.heard().connected()).isEqualTo(200);
        }
    }

    @Test
    void a51_strangersOfOneAddressPushOutOnlyEachOther() throws Exception {
        try (TestServer server = new TestServer.Setup().strangersPerAddress(100).start();
                RawWebSocket socket = server.connectedWebSocket();
                PollingClient polling = server.connectedPolling()) {
            for (int i = 0; i < 50; i++) {
                try (RawConnection stranger = server.connect()) {
                    for (int j = 0; j < 20; j++) {
                        assertThat(stranger.get(TestServer.PATH + "?EIO=4&transport=polling")
                                        .response()
                                        .status())
                                .isEqualTo(200);
                    }
                }
                server.connectedWebSocket().close();
                server.connectedPolling().close();
            }
            await().until(() -> server.engine().sessions() <= 100 + 2 + 50);
            polling.send("42[\"message\"]");
            assertThat(polling.packet()).isEqualTo("42[\"message-back\"]");
            socket.send("42[\"message\"]");
            assertThat(socket.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void a51_aClientThatLeavesItsNamespaceIsAStrangerAgain() throws Exception {
        try (TestServer server = new TestServer.Setup()
                        .maxSessions(2)
                        .connectTimeout(LONG)
                        .start();
                RawWebSocket first = server.connectedWebSocket();
                RawWebSocket second = server.connectedWebSocket()) {
            first.send("41");
            await().until(() -> server.heard().disconnected() == 1);
            try (RawWebSocket third = server.connectedWebSocket()) {
                assertThat(first.connection().isClosedByServer()).isTrue();
                second.send("42[\"message\"]");
                assertThat(second.text()).isEqualTo("42[\"message-back\"]");
                third.send("42[\"message\"]");
                assertThat(third.text()).isEqualTo("42[\"message-back\"]");
            }
        }
    }
}
