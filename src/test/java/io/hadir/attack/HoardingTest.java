package io.hadir.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.hadir.support.NoLeaks;
import io.hadir.support.PollingClient;
import io.hadir.support.RawConnection;
import io.hadir.support.RawWebSocket;
import io.hadir.support.TestServer;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that take their time, or take more than their share. */
@ExtendWith(NoLeaks.class)
class HoardingTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofSeconds(20);

    @Test
    void a13_whoConnectsAndIsSilentIsClosed() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().timeouts(SHORT, LONG, LONG).start();
                RawConnection silent = server.connect()) {
            assertThat(silent.isClosedByServerWithin(Duration.ofSeconds(5))).isTrue();
            await().until(() -> server.connections().open() == 0);
        }
    }

    @Test
    void a13_slowHeadersHaveADeadlineThatNoByteProlongs() throws Exception {
        try (TestServer server =
                        new TestServer.Setup().timeouts(SHORT, LONG, LONG).start();
                RawConnection slow = server.connect().send("GET / HTTP/1.1\r\n")) {
            long start = System.nanoTime();
            assertThat(sendSlowly(slow, "X: y\r\n")).isTrue();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void a13_aSlowBodyHasADeadlineThatNoByteProlongs() throws Exception {
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

    /** Sends a little every few milliseconds until the server closes. */
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
    void a13_whoDoesNotReadItsLastAnswerIsClosedAllTheSame() throws Exception {
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
            await().until(() -> server.connections().open() == 0);
        }
    }

    @Test
    void a13_whoNeverConnectsToANamespaceIsClosed() throws Exception {
        try (TestServer server = new TestServer.Setup().connectTimeout(SHORT).start()) {
            List<AutoCloseable> idle = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                idle.add(i % 2 == 0 ? server.webSocket() : server.polling());
            }
            for (AutoCloseable client : idle) {
                if (client instanceof PollingClient polling) {
                    // Closed while it asks, or before.
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
    void a15_oneAddressHasItsShareAndTheOldConnectionsAreUnharmed() throws Exception {
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
            await().until(() -> server.connections().open() == 9);
            server.connectedWebSocket().close();
            for (RawWebSocket socket : old) {
                socket.close();
            }
            await().until(() -> server.connections().open() == 0);
        }
    }

    @Test
    void a15_allTogetherHaveALimitToo() throws Exception {
        try (TestServer server = new TestServer.Setup().connections(5, 0).start()) {
            List<RawConnection> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(server.connect());
            }
            await().until(() -> server.connections().open() == 5);
            try (RawConnection refused = server.connect()) {
                assertThat(refused.isClosedByServer()).isTrue();
            }
            assertThat(all.get(4).get("/nothing").response().status()).isEqualTo(404);
            for (RawConnection connection : all) {
                connection.reset();
            }
            await().until(() -> server.connections().open() == 0);
        }
    }
}
