package io.hadir.socketio;

import static org.assertj.core.api.Assertions.assertThat;

import io.hadir.socketio.support.TestServer;
import io.hadir.testing.NoLeaks;
import io.hadir.testing.PollingClient;
import io.hadir.testing.RawConnection;
import io.hadir.testing.RawWebSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NoLeaks.class)
class SlowReaderIT {
    private static final String LARGE = "x".repeat(20_000);

    private static void shout(TestServer server, RawWebSocket reader) throws Exception {
        for (int i = 0; server.heard().disconnected() == 0; i++) {
            assertThat(i).as("messages of 20 kB").isLessThan(5_000);
            server.namespace().broadcast("g", "n", LARGE);
            assertThat(reader.text()).hasSize(LARGE.length() + 10);
        }
    }

    private static RawWebSocket reader(TestServer server) throws Exception {
        RawWebSocket reader = server.connectedWebSocket().send("420[\"enter\",\"g\"]");
        assertThat(reader.text()).isEqualTo("430[]");
        return reader;
    }

    @Test
    void f03_aWebSocketThatNeverReadsIsClosedAndOthersContinue() throws Exception {
        try (TestServer server = new TestServer.Setup().sendBuffer(100_000).start();
                RawWebSocket reader = reader(server);
                RawWebSocket deaf = RawWebSocket.open(
                        new RawConnection(server.port(), 4_096), TestServer.PATH + "?EIO=4&transport=websocket")) {
            deaf.next();
            deaf.send("40").send("42[\"enter\",\"g\"]").send("420[\"message-with-ack\"]");
            deaf.next();
            assertThat(deaf.text()).isEqualTo("430[]");
            shout(server, reader);
            assertThat(server.engine().sendBufferClosings()).isEqualTo(1);
            assertThat(deaf.connection().isClosedByServer()).isTrue();
            assertThat(server.engine().sessions()).isEqualTo(1);
            reader.send("42[\"message\"]");
            assertThat(reader.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    @Test
    void f03_aPollingClientThatNeverPollsIsClosedAndOthersContinue() throws Exception {
        try (TestServer server = new TestServer.Setup().sendBuffer(100_000).start();
                RawWebSocket reader = reader(server);
                PollingClient deaf = server.connectedPolling()) {
            deaf.send("42[\"enter\",\"g\"]");
            shout(server, reader);
            assertThat(server.engine().sendBufferClosings()).isEqualTo(1);
            assertThat(deaf.fetch().status()).isEqualTo(400);
            reader.send("42[\"message\"]");
            assertThat(reader.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    /** Sends more than the kernel buffers, so the rest waits in the server and begins in the middle of a message. */
    @Test
    void aWebSocketThatReadsLateGetsEveryMessageWholeAndInOrder() throws Exception {
        int messages = 600;
        try (TestServer server = new TestServer.Setup().sendBuffer(1 << 26).start();
                RawWebSocket reader = reader(server);
                RawWebSocket late = RawWebSocket.open(
                        new RawConnection(server.port(), 4_096), TestServer.PATH + "?EIO=4&transport=websocket")) {
            late.next();
            late.send("40").send("420[\"enter\",\"g\"]");
            late.next();
            assertThat(late.text()).isEqualTo("430[]");
            for (int i = 0; i < messages; i++) {
                server.namespace().broadcast("g", "n", text(i));
                assertThat(reader.text()).hasSize(text(i).length() + 10);
            }
            for (int i = 0; i < messages; i++) {
                assertThat(late.text()).isEqualTo("42[\"n\",\"" + text(i) + "\"]");
            }
            late.send("42[\"message\"]");
            assertThat(late.text()).isEqualTo("42[\"message-back\"]");
        }
    }

    private static String text(int i) {
        return i + " " + "x".repeat(i % 7 * 7_000);
    }
}
